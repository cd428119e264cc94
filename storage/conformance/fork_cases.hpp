#pragma once

#include "troupe/storage/conformance/support.hpp"

#include <map>
#include <random>

namespace troupe::conformance {

namespace fork_cases {

/// A session with the bodies "1", "2"… up to `count`.
inline void make_session(store& to, const session_key& key, int count) {
  for (int i = 1; i <= count; ++i)
    append(to, key, i, std::to_string(i));
}

inline void shares_what_came_before(const store_factory& make) {
  auto it = make();
  make_session(*it, key_of("parent"), 5);
  expect(value_of(it->fork(key_of("parent"), 3, key_of("fork"), 77)),
         "it is forked");
  expect(bodies_of(*it, key_of("fork")) == ids{"1", "2", "3"},
         "it has the first three records");
  auto found = found_in(it->find_session(key_of("fork")));
  expect(found.key == key_of("fork"), "it has a key of its own");
  expect(found.parent == key_of("parent"), "it names its parent");
  expect_equal(found.parent_records, 3u, "the count of shared records");
  expect_equal(found.records, 3u, "the count of records");
  expect_equal(found.messages, 3u, "the count of messages");
  expect_equal(found.created_at, 77, "when it was made");
  expect_equal(found.updated_at, 77, "when it was changed");
  expect_equal(value_of(it->load(key_of("fork"), 2, 9)).size(), 1u,
               "the count behind the second");
}

inline void lets_forks_grow_apart(const store_factory& make) {
  auto it = make();
  make_session(*it, key_of("parent"), 3);
  expect(value_of(it->fork(key_of("parent"), 2, key_of("fork"), 1)), "forked");
  append(*it, key_of("fork"), 9, "f");
  append(*it, key_of("parent"), 9, "p");
  expect(bodies_of(*it, key_of("fork")) == ids{"1", "2", "f"}, "the fork's");
  expect(bodies_of(*it, key_of("parent")) == ids{"1", "2", "3", "p"},
         "the parent's");
}

inline void refuses_what_cannot_be_forked(const store_factory& make) {
  auto it = make();
  make_session(*it, key_of("parent"), 3);
  auto fork = [&](const char* from, uint64_t records, const char* to) {
    return value_of(it->fork(key_of(from), records, key_of(to), 1));
  };
  expect(!fork("parent", 4, "fork"), "it has no fourth record");
  expect(!fork("none", 0, "fork"), "there is no such session");
  expect(!fork("parent", 1, "parent"), "it does not fork into itself");
  expect(fork("parent", 3, "fork"), "all of it can be forked");
  expect(!fork("parent", 1, "fork"), "the fork is there already");
  expect(fork("parent", 0, "empty"), "none of it can be forked");
  expect(bodies_of(*it, key_of("empty")).empty(), "which is then empty");
  append(*it, key_of("empty"), 5, "e");
  expect(bodies_of(*it, key_of("empty")) == ids{"e"}, "and begins at one");
}

inline void counts_what_a_fork_shares(const store_factory& make) {
  auto it = make();
  auto entry = store_commit{};
  entry.sessions.push_back(
    {key_of("parent"),
     {message_of(1), record_of(record_kind::state, 2),
      record_of(record_kind::summary, 3), message_of(4),
      record_of(record_kind::state, 5), record_of(record_kind::summary, 6),
      message_of(7)}});
  commit_well(*it, entry);
  for (uint64_t count = 0; count <= 7; ++count) {
    auto key = key_of("fork " + std::to_string(count));
    expect(value_of(it->fork(key_of("parent"), count, key, 1)), "forked");
    auto found = found_in(it->find_session(key));
    auto messages = (count >= 1 ? 1u : 0u) + (count >= 4 ? 1u : 0u)
                    + (count >= 7 ? 1u : 0u);
    expect_equal(found.messages, messages, "the count of messages");
    expect_equal(found.last_state,
                 count >= 5   ? 5u
                 : count >= 2 ? 2u
                              : 0u,
                 "the last state");
    expect_equal(found.last_summary,
                 count >= 6   ? 6u
                 : count >= 3 ? 3u
                              : 0u,
                 "the last summary");
  }
}

inline void keeps_what_forks_share(const store_factory& make) {
  auto it = make();
  auto large = std::string(200 << 10, 'x');
  append(*it, key_of("parent"), 1, large);
  append(*it, key_of("parent"), 2, "2");
  expect(value_of(it->fork(key_of("parent"), 1, key_of("one"), 1)), "forked");
  expect(value_of(it->fork(key_of("one"), 1, key_of("two"), 1)), "forked");
  append(*it, key_of("one"), 3, "o");
  expect_equal(value_of(it->erase(key_of("parent"))), 1u, "erased");
  expect(!value_of(it->find_session(key_of("parent"))), "it is gone");
  expect(load_all(*it, key_of("parent")).empty(), "to itself it is");
  expect(bodies_of(*it, key_of("one")) == ids{large, "o"}, "one has it still");
  // A new session of that name has nothing to do with the old.
  append(*it, key_of("parent"), 4, "new");
  expect_equal(value_of(it->erase(key_of("one"))), 1u, "erased");
  expect(bodies_of(*it, key_of("two")) == ids{large}, "two has it still");
  expect_equal(value_of(it->erase(key_of("two"))), 1u, "erased");
  expect(bodies_of(*it, key_of("parent")) == ids{"new"}, "the new one has");
  append(*it, key_of("other"), 5, large);
  expect(bodies_of(*it, key_of("other")) == ids{large}, "it can come again");
}

/// Forks, appends and erases at random, beside copies that share nothing.
inline void forks_like_copies(const store_factory& make) {
  auto it = make();
  auto random = std::mt19937{11};
  auto wanted = std::map<std::string, ids>{};
  auto pick = [&random] { return "session " + std::to_string(random() % 12); };
  for (int step = 0; step < 600; ++step) {
    auto from = pick();
    auto to = pick();
    auto has = wanted.count(from) != 0;
    auto what = random() % 10;
    if (what < 5) {
      append(*it, key_of(from), step, std::to_string(step));
      wanted[from].push_back(std::to_string(step));
    } else if (what < 8 && has) {
      auto count = random() % (wanted[from].size() + 2);
      auto forked = value_of(it->fork(key_of(from), count, key_of(to), step));
      auto may = count <= wanted[from].size() && wanted.count(to) == 0;
      expect(forked == may, "a fork is made where it can be");
      if (may)
        wanted[to].assign(wanted[from].begin(),
                          wanted[from].begin()
                            + static_cast<std::ptrdiff_t>(count));
    } else if (what >= 8) {
      expect_equal(value_of(it->erase(key_of(from))), has ? 1u : 0u,
                   "the count of erased");
      wanted.erase(from);
    }
    if (step % 20 == 0)
      for (const auto& [id, bodies] : wanted)
        expect(bodies_of(*it, key_of(id)) == bodies,
               "each session has its own records");
  }
  expect_equal(value_of(it->list("")).size(), wanted.size(),
               "the count of sessions");
}

inline store_cases all() {
  return {
    {"forks", "shares what came before", shares_what_came_before},
    {"forks", "lets forks grow apart", lets_forks_grow_apart},
    {"forks", "refuses what cannot be forked", refuses_what_cannot_be_forked},
    {"forks", "counts what a fork shares", counts_what_a_fork_shares},
    {"forks", "keeps what forks share", keeps_what_forks_share},
    {"forks", "forks like copies", forks_like_copies},
  };
}

} // namespace fork_cases

} // namespace troupe::conformance
