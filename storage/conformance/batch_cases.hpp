#pragma once

#include "troupe/storage/conformance/support.hpp"

namespace troupe::conformance {

/// What is whole and what is refused.
namespace batch_cases {

inline void refuses_an_entry_and_takes_the_others(const store_factory& make) {
  auto it = make();
  begin(*it, "a");
  begin(*it, "b");
  auto batch = std::vector{event_of("a", 1), event_of("b", 1, "stale", 7),
                           append_of(key_of("s"), 1), event_of("a", 2),
                           begin_of("c")};
  batch[1].sessions = append_of(key_of("t"), 1).sessions;
  batch[1].values = {{"v", 1, "value"}};
  batch[0].refusal = commit_refusal::stale;
  succeed(it->commit(batch));
  for (size_t i = 0; i < batch.size(); ++i)
    expect(batch[i].refusal
             == (i == 1 ? commit_refusal::stale : commit_refusal::none),
           "each entry is told what became of it");
  expect_equal(found_in(it->find_run("a")).events, 2u, "the events of a");
  expect_equal(found_in(it->find_run("b")).events, 0u, "the events of b");
  expect(value_of(it->load_values("b", "")).empty(), "b has no value");
  expect(load_all(*it, key_of("t")).empty(), "nor a record");
  expect_equal(load_all(*it, key_of("s")).size(), 1u, "the records of s");
  expect(value_of(it->find_run("c")).has_value(), "c has begun");
}

inline void lets_an_entry_see_those_before_it(const store_factory& make) {
  auto it = make();
  auto batch = std::vector{
    begin_of("a"),
    event_of("a", 1),
    append_of(key_of("s"), 1, "a"),
    append_of(key_of("s"), 2, "import"),
    change_of("a", run_status::completed),
    append_of(key_of("s"), 3, "later"),
    event_of("a", 2),
    begin_of("a"),
  };
  batch[2].run_id = "a";
  batch[2].epoch = 1;
  succeed(it->commit(batch));
  using refusal = commit_refusal;
  auto wanted = std::vector{refusal::none,  refusal::none,
                            refusal::none,  refusal::session_busy,
                            refusal::none,  refusal::none,
                            refusal::stale, refusal::exists};
  for (size_t i = 0; i < batch.size(); ++i)
    expect(batch[i].refusal == wanted[i],
           "entry " + std::to_string(i) + " sees those before it");
  expect(bodies_of(*it, key_of("s")) == ids{"a", "later"},
         "what was not refused is there");
}

inline void refuses_one_for_one_of_its_sessions(const store_factory& make) {
  auto it = make();
  auto first = begin_of("a");
  first.sessions = append_of(key_of("busy"), 1).sessions;
  commit_well(*it, first);
  auto second = begin_of("b");
  second.sessions = append_of(key_of("free"), 1).sessions;
  second.sessions.push_back({key_of("busy"), {message_of(2)}});
  second.artifacts = {{"x", "", 1, 0, "content"}};
  expect(commit(*it, second) == commit_refusal::session_busy, "it is refused");
  expect(!value_of(it->find_run("b")), "its run has not begun");
  expect(load_all(*it, key_of("free")).empty(), "the free one has nothing");
  expect_equal(load_all(*it, key_of("busy")).size(), 1u, "the busy one's");
  // One that it does not append to is no matter.
  second.sessions[1].records.clear();
  commit_well(*it, second);
}

/// Batches with an entry that no store can take are errors as a whole.
inline void fails_as_a_whole(const store_factory& make) {
  auto it = make();
  begin(*it, "r");
  auto endless = std::string(100000, 'x');
  auto bad = std::vector<store_commit>(7);
  bad[0] = append_of(key_of("s"), 1);
  bad[0].sessions[0].records[0].kind = static_cast<record_kind>(77);
  bad[1] = append_of({"agent", endless, ""}, 1);
  bad[2] = begin_of(std::string(129, 'x'));
  bad[3] = change_of("r", static_cast<run_status>(9));
  bad[4] = entry_of("r");
  bad[4].values = {{std::string(401, 'x'), 1, "value"}};
  bad[5] = begin_of("q");
  bad[5].begin->kind = std::string(65, 'x');
  bad[6] = event_of("", 1);
  for (const auto& entry : bad) {
    auto batch = std::vector{append_of(key_of("s"), 1), event_of("r", 1),
                             entry};
    auto why = it->commit(batch);
    expect(static_cast<bool>(why), "it is an error");
    expect(to_fault(why).kind == errc::storage, "of the kind storage");
  }
  expect(value_of(it->list("")).empty(), "no session has begun");
  expect_equal(found_in(it->find_run("r")).events, 0u, "the count of events");
  expect_equal(value_of(it->list_runs({}, 9)).size(), 1u, "the count of runs");
  expect(!it->acquire("r", endless, 1, 2), "nobody has an endless name");
  expect(!it->acquire("r", "", 1, 2), "nobody has none");
  expect(!it->fork(key_of("s"), 0, {endless, "", ""}, 1), "nor a fork");
}

inline store_cases all() {
  return {
    {"batches", "refuses an entry and takes the others",
     refuses_an_entry_and_takes_the_others},
    {"batches", "lets an entry see those before it",
     lets_an_entry_see_those_before_it},
    {"batches", "refuses one for one of its sessions",
     refuses_one_for_one_of_its_sessions},
    {"batches", "fails as a whole", fails_as_a_whole},
  };
}

} // namespace batch_cases

} // namespace troupe::conformance
