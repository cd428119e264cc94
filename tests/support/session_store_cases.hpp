#pragma once

#include "support/append_all.hpp"
#include "support/catch.hpp"

#include "troupe/storage/store.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

/// One thing that every session store does. `run` gets a store that is empty.
struct session_store_case {
  const char* name;
  void (*run)(store& store);
};

inline session_record message_at(int64_t at, std::string body = "body") {
  return {0, record_kind::message, at, std::move(body)};
}

/// Appends one message to `key`, and requires that it worked.
inline void append_message(store& store, const session_key& key, int64_t at,
                           std::string body = "body") {
  auto batch
    = std::vector{session_append{key, {message_at(at, std::move(body))}}};
  auto why = append_all(store, batch);
  REQUIRE_FALSE(why);
}

/// All records of `key`, loaded two at a time.
inline std::vector<session_record> load_all(store& store,
                                            const session_key& key) {
  auto result = std::vector<session_record>{};
  for (;;) {
    auto page = store.load(key, result.size(), 2);
    REQUIRE(page);
    if (page->empty())
      return result;
    for (auto& record : *page)
      result.push_back(std::move(record));
  }
}

/// Every session, or those of one id.
inline std::vector<session_summary> list_all(store& store,
                                             const std::string& id = {}) {
  auto result = store.list(id);
  REQUIRE(result);
  return std::move(*result);
}

/// How many sessions the call removed.
inline uint64_t erase_session(store& store, const session_key& key) {
  auto result = store.erase(key);
  REQUIRE(result);
  return *result;
}

namespace store_cases {

inline void is_empty_at_first(store& store) {
  auto key = session_key{"agent", "session", ""};
  CHECK(list_all(store).empty());
  CHECK(load_all(store, key).empty());
  CHECK(erase_session(store, key) == 0);
}

inline void numbers_records_from_one(store& store) {
  auto key = session_key{"agent", "session", "actor"};
  auto batch = std::vector{
    session_append{key, {message_at(1, "a"), message_at(2, "b")}}};
  REQUIRE_FALSE(append_all(store, batch));
  CHECK(batch[0].records[0].seq == 1);
  CHECK(batch[0].records[1].seq == 2);
  append_message(store, key, 3, "c");
  auto records = load_all(store, key);
  REQUIRE(records.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(records[i].seq == i + 1);
    CHECK(records[i].at == static_cast<int64_t>(i + 1));
    CHECK(records[i].kind == record_kind::message);
    CHECK(records[i].body == std::string(1, static_cast<char>('a' + i)));
  }
}

inline void loads_in_pages(store& store) {
  auto key = session_key{"agent", "session", ""};
  for (int i = 1; i <= 5; ++i)
    append_message(store, key, i);
  CHECK(store.load(key, 0, 5)->size() == 5);
  CHECK(store.load(key, 0, 100)->size() == 5);
  CHECK(store.load(key, 3, 100)->size() == 2);
  CHECK(store.load(key, 3, 1)->front().seq == 4);
  CHECK(store.load(key, 5, 1)->empty());
  CHECK(store.load(key, UINT64_MAX, SIZE_MAX)->empty());
  CHECK(store.load(key, 0, 0)->empty());
}

inline void keeps_any_two_keys_apart(store& store) {
  auto zeros = std::string(3, '\0');
  auto high = std::string{"\xff\x00\xff\x01", 4};
  auto names = std::vector<std::string>{
    "",
    "a",
    "ab",
    "b",
    "bc",
    "c",
    "a" + zeros,
    zeros,
    high,
    "\x01",
    "\x01\x01",
    "../../etc",
    "\x80\xc3",
    "naïve – ü",
    std::string(500, 'x'),
    std::string(501, 'x'),
  };
  auto keys = std::vector<session_key>{};
  for (const auto& x : names)
    for (const auto& y : names)
      for (const auto& z : {names[0], names[1], zeros, names[14]})
        keys.push_back({x, y, z});
  auto batch = std::vector<session_append>{};
  for (size_t i = 0; i < keys.size(); ++i)
    batch.push_back({keys[i], {message_at(1, std::to_string(i))}});
  REQUIRE_FALSE(append_all(store, batch));
  for (size_t i = 0; i < keys.size(); ++i) {
    auto records = load_all(store, keys[i]);
    REQUIRE(records.size() == 1);
    CHECK(records[0].body == std::to_string(i));
  }
  CHECK(list_all(store).size() == keys.size());
  // The filter takes neither what begins with it nor what it begins with.
  for (size_t i = 1; i < names.size(); ++i) {
    auto found = list_all(store, names[i]);
    CHECK(found.size() == names.size() * 4);
    for (const auto& entry : found)
      CHECK(entry.key.session_id == names[i]);
  }
}

inline void makes_no_session_without_records(store& store) {
  auto batch = std::vector{session_append{{"agent", "session", ""}, {}}};
  REQUIRE_FALSE(append_all(store, batch));
  CHECK(list_all(store).empty());
  batch.clear();
  CHECK_FALSE(append_all(store, batch));
}

inline void keeps_bodies_of_any_size(store& store) {
  auto key = session_key{"agent", "session", ""};
  auto bodies = std::vector<std::string>{"", std::string(5, '\0')};
  for (size_t size : {1u, 2000u, 5000u, 65536u, 65537u, 204800u})
    bodies.push_back(std::string(size, 'x') + '\xff');
  for (const auto& body : bodies)
    append_message(store, key, 1, body);
  auto records = load_all(store, key);
  REQUIRE(records.size() == bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i)
    CHECK((records[i].body == bodies[i]));
}

inline void counts_messages_but_not_states(store& store) {
  auto key = session_key{"agent", "session", ""};
  auto state = session_record{0, record_kind::state, 7, "state"};
  auto batch = std::vector{session_append{key, {message_at(5), state}}};
  REQUIRE_FALSE(append_all(store, batch));
  auto sessions = list_all(store);
  REQUIRE(sessions.size() == 1);
  CHECK(sessions.front().key == key);
  CHECK(sessions.front().messages == 1);
  CHECK(sessions.front().created_at == 5);
  CHECK(sessions.front().updated_at == 7);
  CHECK(load_all(store, key).at(1).kind == record_kind::state);
}

inline void takes_one_session_twice_in_a_batch(store& store) {
  auto key = session_key{"agent", "session", ""};
  auto other = session_key{"agent", "other", ""};
  auto batch = std::vector{session_append{key, {message_at(1, "a")}},
                           session_append{other, {message_at(1, "b")}},
                           session_append{key, {message_at(2, "c")}}};
  REQUIRE_FALSE(append_all(store, batch));
  CHECK(batch[2].records[0].seq == 2);
  CHECK(load_all(store, key).at(1).body == "c");
  CHECK(load_all(store, other).size() == 1);
}

inline void lists_the_newest_update_first(store& store) {
  append_message(store, {"agent", "old", ""}, 10);
  append_message(store, {"agent", "new", ""}, 30);
  append_message(store, {"agent", "middle", ""}, 20);
  append_message(store, {"agent", "old", ""}, 40);
  auto sessions = list_all(store);
  REQUIRE(sessions.size() == 3);
  CHECK(sessions.at(0).key.session_id == "old");
  CHECK(sessions.at(1).key.session_id == "new");
  CHECK(sessions.at(2).key.session_id == "middle");
}

inline void erases_one_session_only(store& store) {
  auto key = session_key{"agent", "session", "one"};
  auto other = session_key{"agent", "session", "two"};
  auto large = std::string(200 << 10, 'x');
  append_message(store, key, 1, large);
  append_message(store, other, 1, large);
  append_message(store, key, 2);
  CHECK(erase_session(store, key) == 1);
  CHECK(erase_session(store, key) == 0);
  CHECK(load_all(store, key).empty());
  CHECK(list_all(store).size() == 1);
  CHECK((load_all(store, other).at(0).body == large));
  append_message(store, key, 3, "again");
  auto records = load_all(store, key);
  REQUIRE(records.size() == 1);
  CHECK(records[0].seq == 1);
  CHECK(records[0].body == "again");
}

inline void refuses_a_batch_as_a_whole(store& store) {
  auto key = session_key{"agent", "session", ""};
  auto bad = message_at(1);
  bad.kind = static_cast<record_kind>(77);
  auto unknown = std::vector{session_append{key, {message_at(1)}},
                             session_append{key, {bad}}};
  CHECK(append_all(store, unknown));
  auto endless = session_key{"agent", std::string(100000, 'x'), ""};
  auto unnamed = std::vector{session_append{key, {message_at(1)}},
                             session_append{endless, {message_at(1)}}};
  CHECK(append_all(store, unnamed));
  CHECK(list_all(store).empty());
}

} // namespace store_cases

inline std::vector<session_store_case> session_store_cases() {
  using namespace store_cases;
  return {
    {"is empty at first", is_empty_at_first},
    {"numbers records from one", numbers_records_from_one},
    {"loads in pages", loads_in_pages},
    {"keeps any two keys apart", keeps_any_two_keys_apart},
    {"makes no session without records", makes_no_session_without_records},
    {"keeps bodies of any size", keeps_bodies_of_any_size},
    {"counts messages but not states", counts_messages_but_not_states},
    {"takes one session twice in a batch", takes_one_session_twice_in_a_batch},
    {"lists the newest update first", lists_the_newest_update_first},
    {"erases one session only", erases_one_session_only},
    {"refuses a batch as a whole", refuses_a_batch_as_a_whole},
  };
}

} // namespace troupe::test
