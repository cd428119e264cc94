#pragma once

#include "troupe/storage/conformance/support.hpp"

#include <algorithm>

namespace troupe::conformance {

namespace lease_cases {

inline void gives_a_run_to_one_owner(const store_factory& make) {
  auto it = make();
  begin(*it, "r");
  expect(!value_of(it->acquire("r", "host/2", lease_end - 1, 2000)),
         "not while its lease is good");
  auto head = found_in(it->acquire("r", "host/2", lease_end, 2000));
  expect_equal(head.run_id, "r", "the id");
  expect_equal(head.lease.owner, "host/2", "the owner");
  expect_equal(head.lease.epoch, 2u, "the epoch");
  expect_equal(head.lease.until, 2000, "the end of the lease");
  expect_equal(head.recoveries, 1u, "the count of recoveries");
  expect_equal(head.updated_at, lease_end, "when it was changed");
  expect_equal(head.details, "details of r", "the details");
  auto found = found_in(it->find_run("r"));
  expect_equal(found.lease.epoch, 2u, "the epoch that is stored");
  expect_equal(found.lease.owner, "host/2", "the owner that is stored");
}

inline void refuses_the_commit_of_a_stale_owner(const store_factory& make) {
  auto it = make();
  begin(*it, "r");
  commit_well(*it, event_of("r", 1));
  found_in(it->acquire("r", "host/2", lease_end, 2000));
  auto late = change_of("r", run_status::completed);
  late.events.push_back({2, 2, "late"});
  late.values = {{"v", 1, "late"}};
  late.artifacts = {{"a", "", 1, 0, "late"}};
  late.sessions.push_back({key_of("s"), {message_of(1, "late")}});
  expect(commit(*it, late) == commit_refusal::stale, "it is refused");
  expect(found_in(it->find_run("r")).status == run_status::running, "it runs");
  expect_equal(value_of(it->load_events("r", 0, 9)).size(), 1u,
               "the count of events");
  expect(value_of(it->load_values("r", "")).empty(), "without its value");
  expect(value_of(it->list_artifacts("r")).empty(), "without its artifact");
  expect(load_all(*it, key_of("s")).empty(), "without its record");
  commit_well(*it, event_of("r", 2, "event", 2));
  for (auto epoch : {uint64_t{0}, uint64_t{3}, UINT64_MAX}) {
    auto entry = event_of("r", 3, "event", epoch);
    expect(commit(*it, entry) == commit_refusal::stale,
           "only the epoch of the run is good");
  }
  auto unknown = event_of("none", 1);
  expect(commit(*it, unknown) == commit_refusal::stale,
         "nobody has a run that there is not");
}

inline void
takes_commits_until_somebody_else_has_it(const store_factory& make) {
  auto it = make();
  begin(*it, "r");
  // A store has no clock: a lease that is over is only one that can be taken.
  auto entry = change_of("r", run_status::running, lease_end + 500);
  commit_well(*it, entry);
}

inline void ends_a_lease_with_the_running(const store_factory& make) {
  auto it = make();
  auto number = 0;
  for (auto status :
       {run_status::queued, run_status::suspended, run_status::completed,
        run_status::failed, run_status::partial, run_status::cancelled,
        run_status::interrupted}) {
    auto id = "r" + std::to_string(++number);
    begin(*it, id);
    change(*it, id, status);
    auto late = event_of(id, 1);
    expect(commit(*it, late) == commit_refusal::stale,
           "nobody has a run that does not run");
    auto taken = value_of(it->acquire(id, "host/2", 20, 30));
    expect(taken.has_value() == !is_over(status),
           "one that is not over can be taken");
    if (!taken)
      continue;
    expect_equal(taken->lease.epoch, 2u, "the epoch");
    expect_equal(taken->recoveries, status == run_status::queued ? 0u : 1u,
                 "the count of recoveries");
    commit_well(*it, event_of(id, 1, "event", 2));
  }
}

inline void
does_not_count_a_first_owner_as_recovery(const store_factory& make) {
  auto it = make();
  begin(*it, "r", run_status::pending);
  auto head = found_in(it->acquire("r", "host/1", 5, 10));
  expect_equal(head.recoveries, 0u, "the count of recoveries");
  expect_equal(head.lease.epoch, 1u, "the epoch");
  head = found_in(it->acquire("r", "host/2", 10, 20));
  expect_equal(head.recoveries, 1u, "the count after another");
}

inline void renews_leases(const store_factory& make) {
  auto it = make();
  for (auto id : {"a", "b", "c"})
    begin(*it, id);
  found_in(it->acquire("b", "host/2", lease_end, 1500));
  change(*it, "c", run_status::suspended);
  auto claims = std::vector<store::lease_claim>{
    {"a", 1}, {"b", 1}, {"c", 1}, {"none", 1}, {"b", 2}};
  succeed(it->renew(claims, 3000));
  expect_equal(claims[0].epoch, 1u, "the epoch of one that is held");
  expect_equal(claims[1].epoch, 0u, "the epoch of one that was taken");
  expect_equal(claims[2].epoch, 0u, "the epoch of one that does not run");
  expect_equal(claims[3].epoch, 0u, "the epoch of one that there is not");
  expect_equal(claims[4].epoch, 2u, "the epoch of the one who took it");
  expect_equal(found_in(it->find_run("a")).lease.until, 3000, "the new end");
  expect_equal(found_in(it->find_run("c")).lease.until, 0, "no end");
  expect(!value_of(it->acquire("a", "host/3", 2999, 4000)),
         "a renewed lease is good longer");
  claims.clear();
  succeed(it->renew(claims, 1));
}

inline void reconciles_what_has_no_owner(const store_factory& make) {
  auto it = make();
  auto add = [&](const char* id, const char* owner, int64_t until) {
    auto entry = begin_of(id);
    entry.begin->lease = {owner, 0, until};
    commit_well(*it, entry);
  };
  add("alive", "host/1", 100);
  add("expired", "host/1", 50);
  add("dead", "host/2", 100);
  begin(*it, "queued", run_status::queued);
  begin(*it, "over", run_status::completed);
  begin(*it, "suspended", run_status::suspended);
  auto is_gone = [](const std::string& owner) { return owner == "host/2"; };
  auto found = value_of(it->reconcile(50, is_gone));
  std::sort(found.begin(), found.end());
  expect(found == ids{"dead", "expired"}, "those without an owner are named");
  expect(ids_with(*it, run_status::interrupted) == ids{"expired", "dead"},
         "and are interrupted");
  expect(ids_with(*it, run_status::running) == ids{"alive"}, "one runs on");
  auto dead = found_in(it->find_run("dead"));
  expect_equal(dead.lease.owner, "", "the owner");
  expect_equal(dead.updated_at, 50, "when it was changed");
  expect(dead.lease.epoch > 1, "its epoch has grown");
  auto late = event_of("dead", 1);
  expect(commit(*it, late) == commit_refusal::stale, "its owner is too late");
  commit_well(*it, event_of("alive", 1));
  expect(value_of(it->reconcile(50, is_gone)).empty(), "then none is left");
  expect(value_of(it->reconcile(99, {})).empty(), "a lease alone may count");
  expect(value_of(it->reconcile(100, {})) == ids{"alive"}, "until it ends");
  auto again = found_in(it->acquire("dead", "host/3", 60, 70));
  expect_equal(again.recoveries, 1u, "the count of recoveries");
}

inline void hands_on_requests_to_cancel(const store_factory& make) {
  auto it = make();
  for (auto id : {"a", "b", "c"})
    begin(*it, id);
  change(*it, "c", run_status::completed);
  auto head = found_in(it->request_cancel("a"));
  expect(head.cancel_requested, "the head says so");
  expect(head.status == run_status::running, "it runs on");
  expect_equal(head.details, "details of a", "the details");
  expect(!value_of(it->request_cancel("c")), "one that is over is not");
  expect(value_of(it->cancel_requests({"c", "b", "a", "none"})) == ids{"a"},
         "its owner is told");
  commit_well(*it, event_of("a", 1));
  expect(found_in(it->find_run("a")).cancel_requested, "a commit keeps it");
  change(*it, "a", run_status::cancelled);
  expect(value_of(it->cancel_requests({"a"})).empty(), "then it is done");
  begin(*it, "q", run_status::queued);
  head = found_in(it->request_cancel("q"));
  expect(head.status == run_status::queued, "a queued one is queued still");
  expect(found_in(it->acquire("q", "o", 1, 2)).cancel_requested,
         "whoever takes it knows");
}

inline void gives_a_conversation_to_one_run(const store_factory& make) {
  auto it = make();
  auto key = key_of("s");
  auto first = begin_of("a");
  first.sessions = append_of(key, 1, "a1").sessions;
  commit_well(*it, first);
  begin(*it, "b");
  expect_equal(found_in(it->find_session(key)).open_run, "a", "whose it is");
  expect_equal(value_of(it->list("")).at(0).open_run, "a", "in the list");
  auto other = append_of(key, 2, "b1");
  other.run_id = "b";
  other.epoch = 1;
  auto import = append_of(key, 2, "import");
  auto refused = [&](const char* when) {
    for (auto entry : {other, import})
      expect(commit(*it, entry) == commit_refusal::session_busy, when);
  };
  refused("refused while the other runs");
  change(*it, "a", run_status::suspended);
  refused("refused while the other is suspended");
  found_in(it->acquire("a", "host/1", 5, 50));
  auto last = change_of("a", run_status::completed, 6, 2);
  last.sessions = append_of(key, 6, "a2").sessions;
  commit_well(*it, last);
  expect_equal(found_in(it->find_session(key)).open_run, "", "whose it is now");
  commit_well(*it, other);
  expect_equal(found_in(it->find_session(key)).open_run, "b", "whose it is");
  expect(bodies_of(*it, key) == ids{"a1", "a2", "b1"}, "what was not refused");
  change(*it, "b", run_status::failed);
  commit_well(*it, import);
  expect_equal(found_in(it->find_session(key)).open_run, "", "nobody's");
  expect(value_of(it->erase_run("b")), "erased");
  expect_equal(load_all(*it, key).size(), 4u, "the count of records");
}

inline store_cases all() {
  return {
    {"leases", "gives a run to one owner", gives_a_run_to_one_owner},
    {"leases", "refuses the commit of a stale owner",
     refuses_the_commit_of_a_stale_owner},
    {"leases", "takes commits until somebody else has it",
     takes_commits_until_somebody_else_has_it},
    {"leases", "ends a lease with the running", ends_a_lease_with_the_running},
    {"leases", "does not count a first owner as recovery",
     does_not_count_a_first_owner_as_recovery},
    {"leases", "renews leases", renews_leases},
    {"leases", "reconciles what has no owner", reconciles_what_has_no_owner},
    {"leases", "hands on requests to cancel", hands_on_requests_to_cancel},
    {"leases", "gives a conversation to one run",
     gives_a_conversation_to_one_run},
  };
}

} // namespace lease_cases

} // namespace troupe::conformance
