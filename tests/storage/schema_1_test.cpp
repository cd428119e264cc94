// A store that the first schema left, written here byte by byte as that did.
#include "support/catch.hpp"
#include "support/open_store.hpp"
#include "support/store_calls.hpp"
#include "support/temp_dir.hpp"

#include "troupe/storage/big_endian.hpp"
#include "troupe/storage/key_codec.hpp"
#include "troupe/storage/sha256.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace troupe;

namespace {

template <class T>
std::string number(T value) {
  auto result = std::string(sizeof(value), '\0');
  put_big_endian(result.data(), value);
  return result;
}

std::string text(const std::string& bytes) {
  return number(static_cast<uint32_t>(bytes.size())) + bytes;
}

struct old_record {
  char kind = 1;
  int64_t at = 0;
  std::string body;
};

struct old_session {
  session_key key;
  std::vector<old_record> records;
};

// Five tables, as there were.
caf::error make_tables(lmdb_txn& txn) {
  for (auto table : {table_id::meta, table_id::sessions, table_id::records,
                     table_id::blobs, table_id::blob_uses})
    if (auto why = txn.create_table(table))
      return why;
  return {};
}

void put(lmdb_txn& txn, table_id table, std::string_view key,
         const std::string& value) {
  auto out = txn.reserve(table, key, value.size());
  REQUIRE(out);
  std::copy(value.begin(), value.end(), *out);
}

std::string head_of(const old_session& session, uint64_t number_of_session) {
  auto messages = std::count_if(session.records.begin(), session.records.end(),
                                [](const auto& x) { return x.kind == 1; });
  return std::string{"\1\0\0\0", 4} + number(number_of_session)
         + number(uint64_t{session.records.size()})
         + number(static_cast<uint64_t>(messages))
         + number(static_cast<uint64_t>(session.records.front().at))
         + number(static_cast<uint64_t>(session.records.back().at))
         + text(session.key.agent) + text(session.key.session_id)
         + text(session.key.actor_id);
}

void put_record(lmdb_txn& txn, uint64_t session, uint64_t seq,
                const old_record& record) {
  auto is_large = record.body.size() > (64 << 10);
  auto bytes = std::string{"\1"} + record.kind + (is_large ? '\2' : '\1') + '\0'
               + number(static_cast<uint64_t>(record.at));
  if (is_large) {
    auto digest = sha256(record.body);
    REQUIRE(digest);
    put(txn, table_id::blobs, as_bytes(*digest), record.body);
    put(txn, table_id::blob_uses, as_bytes(*digest), number(uint64_t{1}));
    bytes += std::string{as_bytes(*digest)}
             + number(uint64_t{record.body.size()});
  } else {
    bytes += record.body;
  }
  put(txn, table_id::records, record_key(session, seq).view(), bytes);
}

void make_old_store(const storage_settings& settings,
                    const std::vector<old_session>& sessions) {
  auto options = lmdb_env_options{};
  options.storage = settings;
  options.on_open = [&](lmdb_txn& txn) -> caf::error {
    if (auto why = make_tables(txn))
      return why;
    put(txn, table_id::meta, "schema", "troupe" + number(uint32_t{1}));
    put(txn, table_id::meta, "last_session", number(uint64_t{sessions.size()}));
    for (size_t i = 0; i < sessions.size(); ++i) {
      auto key = session_table_key(sessions[i].key);
      REQUIRE(key);
      put(txn, table_id::sessions, key->view(), head_of(sessions[i], i + 1));
      for (size_t j = 0; j < sessions[i].records.size(); ++j)
        put_record(txn, i + 1, j + 1, sessions[i].records[j]);
    }
    return {};
  };
  REQUIRE(lmdb_env::open(options));
}

const auto large = std::string(200 << 10, 'x');

std::vector<old_session> some_sessions() {
  auto result = std::vector<old_session>{
    {{"agent", "one", ""},
     {{1, 10, "question"}, {2, 11, "state"}, {1, 12, large}, {1, 13, "end"}}},
    {{"agent", std::string(1000, 's'), std::string{"a\0b", 3}},
     {{1, -5, ""}, {2, 20, "state"}}},
    {{"", "", ""}, {{1, 30, "no state"}}},
  };
  for (int i = 0; i < 2000; ++i)
    result.push_back(
      {{"agent", "many " + std::to_string(i), ""}, {{1, 1, "x"}}});
  return result;
}

} // namespace

TEST_CASE("a store of schema 1 opens with everything in it", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto sessions = some_sessions();
  make_old_store(settings, sessions);
  for (int i = 0; i < 2; ++i) {
    auto store = test::open_store(settings);
    CHECK(test::list_all(*store).size() == sessions.size());
    for (const auto& session : sessions) {
      auto records = test::load_all(*store, session.key);
      REQUIRE(records.size() == session.records.size());
      for (size_t j = 0; j < records.size(); ++j) {
        REQUIRE(records[j].kind
                == static_cast<record_kind>(session.records[j].kind));
        REQUIRE(records[j].at == session.records[j].at);
        REQUIRE((records[j].body == session.records[j].body));
      }
    }
  }
  auto store = test::open_store(settings);
  auto one = *store->find_session(sessions[0].key);
  REQUIRE(one);
  CHECK(one->key == sessions[0].key);
  CHECK(one->records == 4);
  CHECK(one->messages == 3);
  CHECK(one->created_at == 10);
  CHECK(one->updated_at == 13);
  CHECK(one->last_state == 2);
  CHECK(one->last_summary == 0);
  CHECK(one->open_run.empty());
  CHECK((*store->find_session(sessions[1].key))->last_state == 2);
  CHECK((*store->find_session(sessions[2].key))->last_state == 0);
}

TEST_CASE("a store of schema 1 goes on as one of today", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto sessions = some_sessions();
  make_old_store(settings, sessions);
  auto store = test::open_store(settings);
  test::append_message(*store, sessions[0].key, 40, "more");
  CHECK(test::load_all(*store, sessions[0].key).back().seq == 5);
  auto fork = session_key{"agent", "fork", ""};
  CHECK(*store->fork(sessions[0].key, 3, fork, 41));
  CHECK(test::erase_session(*store, sessions[0].key) == 1);
  CHECK((test::load_all(*store, fork).back().body == large));
  // A new session takes none of the old numbers.
  auto fresh = session_key{"agent", "fresh", ""};
  test::append_message(*store, fresh, 50);
  CHECK(test::load_all(*store, fresh).size() == 1);
  CHECK(test::load_all(*store, sessions[1].key).size() == 2);
}

TEST_CASE("a damaged store of schema 1 is refused and stays as it is",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  make_old_store(settings, some_sessions());
  auto options = lmdb_env_options{};
  options.storage = settings;
  options.on_open = [](lmdb_txn& txn) -> caf::error {
    for (auto table : {table_id::meta, table_id::sessions, table_id::records})
      REQUIRE(txn.open_table(table));
    auto first = txn.find_from(table_id::sessions, "");
    REQUIRE(first);
    auto key = std::string{(*first)->key};
    auto value = std::string{(*first)->value};
    SECTION("where a head is cut") {
      value.pop_back();
    }
    SECTION("where a head is of no known version") {
      value[0] = 9;
    }
    SECTION("where a record is missing") {
      value[4 + 8 + 7] = 9;
    }
    put(txn, table_id::sessions, key, value);
    return {};
  };
  REQUIRE(lmdb_env::open(options));
  for (int i = 0; i < 2; ++i)
    CHECK(test::refusal(settings).kind == errc::storage);
}
