#pragma once

#include "troupe/storage/conformance/support.hpp"

namespace troupe::conformance {

namespace session_cases {

inline void is_empty_at_first(const store_factory& make) {
  auto it = make();
  auto key = key_of("s");
  expect(value_of(it->list("")).empty(), "no session is listed");
  expect(load_all(*it, key).empty(), "no record is loaded");
  expect(!value_of(it->find_session(key)), "no session is found");
  expect_equal(value_of(it->erase(key)), uint64_t{0}, "the count of erased");
}

inline void numbers_records_from_one(const store_factory& make) {
  auto it = make();
  auto key = session_key{"agent", "session", "actor"};
  auto entry = store_commit{};
  entry.sessions.push_back({key, {message_of(1, "a"), message_of(2, "b")}});
  expect(commit(*it, entry) == commit_refusal::none, "it is taken");
  expect_equal(entry.sessions[0].records[0].seq, 1u, "the first seq");
  expect_equal(entry.sessions[0].records[1].seq, 2u, "the second seq");
  append(*it, key, 3, "c");
  expect(bodies_of(*it, key) == ids{"a", "b", "c"}, "all come back in order");
  auto records = load_all(*it, key);
  for (size_t i = 0; i < records.size(); ++i) {
    expect_equal(records[i].at, static_cast<int64_t>(i + 1), "the time");
    expect(records[i].kind == record_kind::message, "the kind is kept");
  }
}

inline void loads_in_pages(const store_factory& make) {
  auto it = make();
  auto key = key_of("s");
  for (int i = 1; i <= 5; ++i)
    append(*it, key, i);
  auto count = [&](uint64_t after, size_t max) {
    return value_of(it->load(key, after, max)).size();
  };
  expect_equal(count(0, 5), 5u, "a full page");
  expect_equal(count(0, 100), 5u, "a page with room");
  expect_equal(count(3, 100), 2u, "the last page");
  expect_equal(count(3, 1), 1u, "a page of one");
  expect_equal(value_of(it->load(key, 3, 1)).front().seq, 4u, "its seq");
  expect_equal(count(5, 1), 0u, "a page behind the end");
  expect_equal(count(UINT64_MAX, SIZE_MAX), 0u, "a page far behind the end");
  expect_equal(count(0, 0), 0u, "a page of none");
}

inline std::vector<std::string> hard_names() {
  auto zeros = std::string(3, '\0');
  return {"",
          "a",
          "ab",
          "b",
          "bc",
          "c",
          "a" + zeros,
          zeros,
          std::string{"\xff\x00\xff\x01", 4},
          "\x01",
          "\x01\x01",
          "../../etc",
          "\x80\xc3",
          "naïve – ü",
          std::string(500, 'x'),
          std::string(501, 'x')};
}

inline void keeps_any_two_keys_apart(const store_factory& make) {
  auto it = make();
  auto names = hard_names();
  auto keys = std::vector<session_key>{};
  for (const auto& x : names)
    for (const auto& y : names)
      for (const auto& z : {names[0], names[1], names[7], names[14]})
        keys.push_back({x, y, z});
  auto batch = std::vector<store_commit>{};
  for (size_t i = 0; i < keys.size(); ++i)
    batch.push_back(append_of(keys[i], 1, std::to_string(i)));
  succeed(it->commit(batch));
  for (size_t i = 0; i < keys.size(); ++i)
    expect(bodies_of(*it, keys[i]) == ids{std::to_string(i)},
           "each key has what was appended to it");
  expect_equal(value_of(it->list("")).size(), keys.size(), "the count of all");
  // The filter takes neither what begins with it nor what it begins with.
  for (size_t i = 1; i < names.size(); ++i) {
    auto found = value_of(it->list(names[i]));
    expect_equal(found.size(), names.size() * 4, "the count of one id");
    for (const auto& entry : found)
      expect(entry.key.session_id == names[i], "only that id is listed");
  }
}

inline void makes_no_session_without_records(const store_factory& make) {
  auto it = make();
  auto entry = store_commit{};
  entry.sessions.push_back({key_of("s"), {}});
  commit_well(*it, entry);
  expect(value_of(it->list("")).empty(), "no session is listed");
  auto none = std::vector<store_commit>{};
  succeed(it->commit(none));
}

inline void keeps_bodies_of_any_size(const store_factory& make) {
  auto it = make();
  auto key = key_of("s");
  auto bodies = ids{"", std::string(5, '\0')};
  for (size_t size : {1u, 2000u, 5000u, 65536u, 65537u, 204800u})
    bodies.push_back(std::string(size, 'x') + '\xff');
  for (const auto& body : bodies)
    append(*it, key, 1, body);
  expect(bodies_of(*it, key) == bodies, "each body comes back");
}

inline void summarizes_a_session(const store_factory& make) {
  auto it = make();
  auto key = key_of("s");
  auto entry = store_commit{};
  entry.sessions.push_back(
    {key,
     {message_of(5), record_of(record_kind::state, 6), message_of(7),
      record_of(record_kind::intent, 8), record_of(record_kind::summary, 9),
      record_of(record_kind::state, 10)}});
  commit_well(*it, entry);
  append(*it, key, 11);
  auto found = found_in(it->find_session(key));
  expect(found.key == key, "the key is kept");
  expect_equal(found.records, 7u, "the count of records");
  expect_equal(found.messages, 3u, "the count of messages");
  expect_equal(found.created_at, 5, "the time of the first");
  expect_equal(found.updated_at, 11, "the time of the last");
  expect_equal(found.last_state, 6u, "the last state");
  expect_equal(found.last_summary, 5u, "the last summary");
  expect(found.open_run.empty(), "no run has it");
  expect(found.parent == session_key{}, "it has no parent");
  auto listed = value_of(it->list(""));
  expect_equal(listed.size(), 1u, "the count of sessions");
  expect_equal(listed[0].last_summary, 5u, "the last summary in the list");
  expect(load_all(*it, key).at(3).kind == record_kind::intent,
         "every kind comes back");
}

inline void takes_one_session_twice_in_a_batch(const store_factory& make) {
  auto it = make();
  auto batch = std::vector{append_of(key_of("s"), 1, "a"),
                           append_of(key_of("t"), 1, "b"),
                           append_of(key_of("s"), 2, "c")};
  batch[1].sessions.push_back({key_of("s"), {message_of(1, "d")}});
  succeed(it->commit(batch));
  expect_equal(batch[2].sessions[0].records[0].seq, 3u, "the last seq");
  expect(bodies_of(*it, key_of("s")) == ids{"a", "d", "c"},
         "entries follow one another");
  expect(bodies_of(*it, key_of("t")) == ids{"b"}, "the other is apart");
}

inline void lists_the_newest_update_first(const store_factory& make) {
  auto it = make();
  append(*it, key_of("old"), 10);
  append(*it, key_of("new"), 30);
  append(*it, key_of("middle"), 20);
  append(*it, key_of("old"), 40);
  auto order = ids{};
  for (const auto& entry : value_of(it->list("")))
    order.push_back(entry.key.session_id);
  expect(order == ids{"old", "new", "middle"}, "the newest update is first");
}

inline void lists_what_is_as_new_by_its_key(const store_factory& make) {
  auto it = make();
  auto long_name = std::string(200, 'b');
  for (const auto& name : ids{"c", long_name, "a"})
    append(*it, key_of(name), 10);
  auto order = ids{};
  for (const auto& entry : value_of(it->list("")))
    order.push_back(entry.key.session_id);
  expect(order == ids{"a", long_name, "c"}, "names have their order");
}

inline void erases_one_session_only(const store_factory& make) {
  auto it = make();
  auto one = session_key{"agent", "session", "one"};
  auto two = session_key{"agent", "session", "two"};
  auto large = std::string(200 << 10, 'x');
  append(*it, one, 1, large);
  append(*it, two, 1, large);
  append(*it, one, 2);
  expect_equal(value_of(it->erase(one)), uint64_t{1}, "the count of erased");
  expect_equal(value_of(it->erase(one)), uint64_t{0}, "the count of a second");
  expect(load_all(*it, one).empty(), "its records are gone");
  expect(!value_of(it->find_session(one)), "it is gone");
  expect(bodies_of(*it, two) == ids{large}, "the other has all it had");
  append(*it, one, 3, "again");
  expect(bodies_of(*it, one) == ids{"again"}, "it begins anew");
}

inline store_cases all() {
  return {
    {"sessions", "is empty at first", is_empty_at_first},
    {"sessions", "numbers records from one", numbers_records_from_one},
    {"sessions", "loads in pages", loads_in_pages},
    {"sessions", "keeps any two keys apart", keeps_any_two_keys_apart},
    {"sessions", "makes no session without records",
     makes_no_session_without_records},
    {"sessions", "keeps bodies of any size", keeps_bodies_of_any_size},
    {"sessions", "summarizes a session", summarizes_a_session},
    {"sessions", "takes one session twice in a batch",
     takes_one_session_twice_in_a_batch},
    {"sessions", "lists the newest update first",
     lists_the_newest_update_first},
    {"sessions", "lists what is as new by its key",
     lists_what_is_as_new_by_its_key},
    {"sessions", "erases one session only", erases_one_session_only},
  };
}

} // namespace session_cases

} // namespace troupe::conformance
