#include "troupe/storage/lmdb_txn.hpp"

#include "support/catch.hpp"
#include "support/open_store.hpp"
#include "support/temp_dir.hpp"

#include <iterator>
#include <random>
#include <set>
#include <string>

using namespace troupe;

namespace {

std::string key_in(const caf::expected<std::optional<table_entry>>& x) {
  REQUIRE(x);
  return *x ? std::string{(*x)->key} : std::string{"(none)"};
}

} // namespace

TEST_CASE("the neighbours of a key are found on both sides", "[storage]") {
  auto dir = test::temp_dir{};
  auto env = test::open_env(test::store_in(dir));
  auto random = std::mt19937{1};
  auto keys = std::set<std::string>{};
  for (int count : {0, 1, 2, 500}) {
    auto why = env->write([&](lmdb_txn& txn) -> caf::error {
      while (keys.size() < static_cast<size_t>(count)) {
        auto key = std::to_string(random() % 100000);
        if (auto out = txn.reserve(table_id::runs, key, 0); !out)
          return out.error();
        keys.insert(key);
      }
      return {};
    });
    REQUIRE_FALSE(why);
    why = env->read([&](lmdb_txn& txn) -> caf::error {
      CHECK(key_in(txn.find_before(table_id::runs, ""))
            == (keys.empty() ? "(none)" : *keys.rbegin()));
      for (int i = 0; i < 300; ++i) {
        auto key = std::to_string(random() % 110000);
        auto next = keys.lower_bound(key);
        CHECK(key_in(txn.find_from(table_id::runs, key))
              == (next == keys.end() ? "(none)" : *next));
        CHECK(key_in(txn.find_before(table_id::runs, key))
              == (next == keys.begin() ? "(none)" : *std::prev(next)));
      }
      return {};
    });
    REQUIRE_FALSE(why);
  }
}
