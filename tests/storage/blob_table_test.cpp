#include "troupe/storage/blob_table.hpp"

#include "support/catch.hpp"
#include "support/open_store.hpp"
#include "support/store_calls.hpp"
#include "support/temp_dir.hpp"

#include <string>

using namespace troupe;

namespace {

const auto large = std::string(200 << 10, 'x');
const auto one = session_key{"agent", "one", ""};
const auto two = session_key{"agent", "two", ""};

size_t count_blobs(const storage_settings& settings) {
  auto result = size_t{0};
  auto env = test::open_env(settings);
  auto why = env->read([&](lmdb_txn& txn) {
    auto bodies = lmdb_table<blob_codec>{txn};
    return bodies.scan("", [&result](std::string_view) {
      ++result;
      return caf::error{};
    });
  });
  REQUIRE_FALSE(why);
  return result;
}

} // namespace

TEST_CASE("large bodies are stored once, until the last use is erased",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  {
    auto store = test::open_store(settings);
    for (const auto& key : {one, one, two})
      test::append_message(*store, key, 1, large);
    test::append_message(*store, one, 1, std::string(64 << 10, 'x'));
  }
  CHECK(count_blobs(settings) == 1);
  CHECK(test::erase_session(*test::open_store(settings), one) == 1);
  CHECK(count_blobs(settings) == 1);
  CHECK((test::load_all(*test::open_store(settings), two).at(0).body == large));
  CHECK(test::erase_session(*test::open_store(settings), two) == 1);
  CHECK(count_blobs(settings) == 0);
}

TEST_CASE("a large body stays as long as a fork shares it", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  {
    auto store = test::open_store(settings);
    test::append_message(*store, one, 1, large);
    test::append_message(*store, one, 2, large + "of the parent alone");
    CHECK(*store->fork(one, 1, two, 3));
  }
  CHECK(count_blobs(settings) == 2);
  CHECK(test::erase_session(*test::open_store(settings), one) == 1);
  CHECK(count_blobs(settings) == 1);
  CHECK((test::load_all(*test::open_store(settings), two).at(0).body == large));
  CHECK(test::erase_session(*test::open_store(settings), two) == 1);
  CHECK(count_blobs(settings) == 0);
}

TEST_CASE("a large body that changed on disk is refused", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  test::append_message(*test::open_store(settings), one, 1, large);
  auto changed = large;
  SECTION("in its bytes") {
    changed.back() = 'y';
  }
  SECTION("in its length") {
    changed.pop_back();
  }
  REQUIRE_FALSE(test::open_env(settings)->write([&](lmdb_txn& txn) {
    return lmdb_table<blob_codec>{txn}.put(as_bytes(*sha256(large)), changed);
  }));
  auto store = test::open_store(settings);
  auto records = store->load(one, 0, 1);
  REQUIRE_FALSE(records);
  auto what = to_fault(records.error());
  CHECK(what.kind == errc::storage);
  CHECK(what.message == "a large record in the store is damaged");
  CHECK(what.where == settings.path + "/store.mdb");
  // It can still be seen and removed.
  CHECK(test::list_all(*store).size() == 1);
  CHECK(test::erase_session(*store, one) == 1);
}

TEST_CASE("a record that is gone is an error, not a shorter history",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  for (int i = 0; i < 3; ++i)
    test::append_message(*test::open_store(settings), one, 1);
  REQUIRE_FALSE(
    test::open_env(settings)->write([](lmdb_txn& txn) -> caf::error {
      auto first = txn.find_from(table_id::records, "");
      REQUIRE(first);
      auto key = std::string{(*first)->key};
      auto gone = txn.erase(table_id::records, key);
      return gone ? caf::error{} : gone.error();
    }));
  auto records = test::open_store(settings)->load(one, 0, 10);
  REQUIRE_FALSE(records);
  CHECK(to_fault(records.error()).message
        == "a record is missing in the store");
}
