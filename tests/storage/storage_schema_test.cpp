#include "troupe/storage/storage_schema.hpp"

#include "support/catch.hpp"
#include "support/open_store.hpp"
#include "support/temp_dir.hpp"

#include <algorithm>
#include <string>
#include <string_view>

using namespace troupe;

namespace {

caf::error put(lmdb_txn& txn, table_id table, std::string_view key,
               std::string_view value) {
  auto out = txn.reserve(table, key, value.size());
  if (!out)
    return out.error();
  std::copy(value.begin(), value.end(), *out);
  return {};
}

std::string get(lmdb_env& env, table_id table, std::string_view key) {
  auto result = std::string{};
  auto why = env.read([&](lmdb_txn& txn) -> caf::error {
    auto value = txn.get(table, key);
    if (!value)
      return value.error();
    result = value->value_or("(none)");
    return {};
  });
  REQUIRE_FALSE(why);
  return result;
}

uint32_t version_of(lmdb_env& env) {
  auto result = uint32_t{0};
  auto why = env.read([&](lmdb_txn& txn) -> caf::error {
    auto version = read_schema_version(txn);
    if (!version)
      return version.error();
    result = *version;
    return {};
  });
  REQUIRE_FALSE(why);
  return result;
}

// A made-up version that kept a name in `meta` which version 1 has in
// `sessions`.
void make_version_0(const storage_settings& settings) {
  auto env = test::open_env(settings, {0, {}});
  REQUIRE_FALSE(env->write(
    [](lmdb_txn& txn) { return put(txn, table_id::meta, "name", "value"); }));
}

caf::error move_name(lmdb_txn& txn) {
  auto value = txn.get(table_id::meta, "name");
  if (!value)
    return value.error();
  auto copy = std::string{value->value_or("")};
  if (auto why = put(txn, table_id::sessions, "name", copy))
    return why;
  auto gone = txn.erase(table_id::meta, "name");
  return gone ? caf::error{} : gone.error();
}

} // namespace

TEST_CASE("a new store has the current schema", "[storage]") {
  auto dir = test::temp_dir{};
  auto env = test::open_env(test::store_in(dir));
  CHECK(version_of(*env) == current_schema().version);
}

TEST_CASE("an older store is migrated one step at a time", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  make_version_0(settings);
  auto rename = [](lmdb_txn& txn) -> caf::error {
    auto moved = txn.get(table_id::sessions, "name");
    if (!moved)
      return moved.error();
    return put(txn, table_id::sessions, "name 2",
               std::string{moved->value_or("")});
  };
  auto env = test::open_env(settings, {2, {{1, rename}, {0, move_name}}});
  CHECK(version_of(*env) == 2);
  CHECK(get(*env, table_id::sessions, "name 2") == "value");
  CHECK(get(*env, table_id::meta, "name") == "(none)");
}

TEST_CASE("a migration runs once", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  make_version_0(settings);
  auto runs = 0;
  auto count = [&runs](lmdb_txn& txn) {
    ++runs;
    return move_name(txn);
  };
  for (int i = 0; i < 2; ++i)
    test::open_env(settings, {1, {{0, count}}});
  CHECK(runs == 1);
}

TEST_CASE("a migration that fails leaves the old store as it was",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  make_version_0(settings);
  auto fail = [](lmdb_txn&) { return make_error(errc::storage, "no"); };
  CHECK_FALSE(test::try_env(settings, {2, {{0, move_name}, {1, fail}}}));
  auto env = test::open_env(settings, {0, {}});
  CHECK(version_of(*env) == 0);
  CHECK(get(*env, table_id::meta, "name") == "value");
}

TEST_CASE("a migration that needs a larger map gets it", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  make_version_0(settings);
  auto fill = [](lmdb_txn& txn) {
    return put(txn, table_id::meta, "large", std::string(5 << 20, 'x'));
  };
  auto env = test::open_env(settings, {1, {{0, fill}}});
  CHECK(get(*env, table_id::meta, "large").size() == 5 << 20);
}

TEST_CASE("a store without a way to the current schema is refused",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  make_version_0(settings);
  auto env = test::try_env(settings, {2, {{0, move_name}}});
  REQUIRE_FALSE(env);
  auto what = to_fault(env.error());
  CHECK(what.message
        == "the store has schema 0, which this troupe cannot bring to 2");
}

TEST_CASE("a newer store is refused, with both versions and the way out",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  test::open_env(settings, {7, {}});
  auto what = test::refusal(settings);
  CHECK(what.kind == errc::storage);
  CHECK(what.message == "the store has schema 7, this troupe knows up to 2");
  CHECK(what.where == settings.path + "/store.mdb");
  CHECK(what.hint.find("--store") != std::string::npos);
  // Refusing changed nothing.
  CHECK(version_of(*test::open_env(settings, {7, {}})) == 7);
}

TEST_CASE("an LMDB file of another program is refused untouched", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto options = lmdb_env_options{};
  options.storage = settings;
  SECTION("one with tables of its own") {
    options.on_open = [](lmdb_txn& txn) {
      return txn.create_table(table_id::records);
    };
  }
  SECTION("one whose table has the name of ours") {
    options.on_open = [](lmdb_txn& txn) {
      if (auto why = txn.create_table(table_id::meta))
        return why;
      return put(txn, table_id::meta, "schema", "another1");
    };
  }
  REQUIRE(lmdb_env::open(options));
  CHECK(test::refusal(settings).message
        == "the file belongs to another program");
  options.on_open = [](lmdb_txn& txn) -> caf::error {
    CHECK(*txn.count_tables() == 1);
    return {};
  };
  CHECK(lmdb_env::open(options));
}
