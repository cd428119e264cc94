#include "support/catch.hpp"
#include "support/session_store_cases.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/settings.hpp"
#include "troupe/storage/store.hpp"

using namespace troupe;

namespace {

storage_settings settings_in(const test::temp_dir& dir, durability how) {
  auto result = storage_settings{};
  result.path = (dir.path() / "store").string();
  result.durability = how;
  return result;
}

} // namespace

TEST_CASE("a store in memory is a session store", "[storage]") {
  for (const auto& entry : test::session_store_cases()) {
    DYNAMIC_SECTION("it " << entry.name) {
      auto settings = storage_settings{};
      settings.in_memory = true;
      auto store = make_store(settings);
      REQUIRE(store);
      entry.run(**store);
    }
  }
}

TEST_CASE("a store on disk is a session store", "[storage]") {
  for (const auto& entry : test::session_store_cases()) {
    DYNAMIC_SECTION("it " << entry.name) {
      auto dir = test::temp_dir{};
      auto settings = settings_in(dir, durability::relaxed);
      auto store = make_store(settings);
      REQUIRE(store);
      entry.run(**store);
    }
  }
}

TEST_CASE("a store on disk has after reopening what it had before",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto how = GENERATE(durability::full, durability::relaxed);
  auto settings = settings_in(dir, how);
  auto key = session_key{"agent", std::string(1000, 's'), "actor"};
  auto large = std::string(200 << 10, 'x');
  {
    auto store = make_lmdb_store(settings);
    REQUIRE(store);
    test::append_message(**store, key, 1, "small");
    test::append_message(**store, key, 2, large);
  }
  auto store = make_lmdb_store(settings);
  REQUIRE(store);
  auto sessions = (*store)->list("");
  REQUIRE(sessions);
  REQUIRE(sessions->size() == 1);
  CHECK(sessions->front().key == key);
  CHECK(sessions->front().messages == 2);
  auto records = test::load_all(**store, key);
  REQUIRE(records.size() == 2);
  CHECK(records[0].body == "small");
  CHECK((records[1].body == large));
  test::append_message(**store, key, 3);
  CHECK(test::load_all(**store, key).back().seq == 3);
}
