#pragma once

#include "troupe/storage/conformance/support.hpp"

#include <algorithm>
#include <random>

namespace troupe::conformance {

namespace run_cases {

inline void knows_no_run_at_first(const store_factory& make) {
  auto it = make();
  for (const auto& id :
       {std::string{}, std::string{"r"}, std::string(1000, 'x')}) {
    expect(!value_of(it->find_run(id)), "no run is found");
    expect(value_of(it->load_events(id, 0, 9)).empty(), "it has no events");
    expect(value_of(it->load_values(id, "")).empty(), "it has no values");
    expect(value_of(it->list_artifacts(id)).empty(), "it has no artifacts");
    expect(!value_of(it->load_artifact(id, "a")), "not even one");
    expect(!value_of(it->erase_run(id)), "none is erased");
    expect(!value_of(it->acquire(id, "o", 1, 2)), "none is acquired");
    expect(!value_of(it->request_cancel(id)), "none is cancelled");
  }
  expect(value_of(it->list_runs({}, SIZE_MAX)).empty(), "none is listed");
  expect(!value_of(it->acquire_due({}, "o", far_future, 2)), "none is due");
  expect(!value_of(it->next_due({})), "none will be");
}

inline void begins_a_run(const store_factory& make) {
  auto it = make();
  auto entry = begin_of("r");
  auto& head = *entry.begin;
  head.kind = "workflow";
  head.name = std::string{"a\0b", 3};
  head.queue = "nightly";
  head.session = {"agent", "session", "actor"};
  // What a store sets by itself.
  head.events = 9;
  head.recoveries = 9;
  head.cancel_requested = true;
  head.lease.epoch = 9;
  commit_well(*it, entry);
  auto found = found_in(it->find_run("r"));
  expect_equal(found.run_id, "r", "the id");
  expect_equal(found.kind, "workflow", "the kind");
  expect(found.name == head.name, "the name is kept");
  expect_equal(found.queue, "nightly", "the queue");
  expect(found.session == head.session, "the session is kept");
  expect(found.status == run_status::running, "it runs");
  expect_equal(found.created_at, 1, "when it was created");
  expect_equal(found.updated_at, 1, "when it was changed");
  expect_equal(found.lease.owner, first_owner, "the owner");
  expect_equal(found.lease.epoch, 1u, "the epoch");
  expect_equal(found.lease.until, lease_end, "the end of the lease");
  expect_equal(found.events, 0u, "the count of events");
  expect_equal(found.recoveries, 0u, "the count of recoveries");
  expect(!found.cancel_requested, "nobody wants it to end");
  expect_equal(found.details, "details of r", "the details");
}

inline void begins_a_run_without_an_owner(const store_factory& make) {
  auto it = make();
  for (auto status : {run_status::pending, run_status::queued,
                      run_status::suspended, run_status::completed}) {
    auto id = std::to_string(static_cast<int>(status));
    auto entry = begin_of(id, status);
    entry.begin->lease = {"somebody", 7, 7};
    commit_well(*it, entry);
    auto found = found_in(it->find_run(id));
    expect(found.status == status, "the status is kept");
    expect_equal(found.lease.owner, "", "the owner");
    expect_equal(found.lease.epoch, 0u, "the epoch");
    expect_equal(found.lease.until, 0, "the end of the lease");
  }
}

inline void refuses_a_second_run_of_one_id(const store_factory& make) {
  auto it = make();
  begin(*it, "r");
  auto again = begin_of("r", run_status::queued);
  again.sessions.push_back({key_of("s"), {message_of(1)}});
  again.events.push_back({1, 1, "event"});
  expect(commit(*it, again) == commit_refusal::exists, "it is refused");
  expect(found_in(it->find_run("r")).status == run_status::running,
         "the first is as it was");
  expect(value_of(it->load_events("r", 0, 9)).empty(), "without an event");
  expect(load_all(*it, key_of("s")).empty(), "and without a record");
  expect(!value_of(it->next_due({})), "and is not in the queue");
}

inline void changes_a_run(const store_factory& make) {
  auto it = make();
  begin(*it, "r");
  commit_well(*it, event_of("r", 1));
  expect_equal(found_in(it->find_run("r")).updated_at, 1, "when by the event");
  auto entry = change_of("r", run_status::running, 20);
  entry.change->details = std::string(100000, 'd');
  commit_well(*it, entry);
  auto found = found_in(it->find_run("r"));
  expect_equal(found.details.size(), 100000u, "the size of the details");
  expect_equal(found.updated_at, 20, "when it was changed");
  expect_equal(found.lease.owner, first_owner, "the owner");
  // Without a change they stay.
  commit_well(*it, event_of("r", 2));
  expect_equal(found_in(it->find_run("r")).details.size(), 100000u,
               "the size of the details");
  change(*it, "r", run_status::suspended, 30);
  found = found_in(it->find_run("r"));
  expect_equal(found.details, "changed", "the details");
  expect(found.status == run_status::suspended, "it is suspended");
  expect_equal(found.lease.owner, "", "the owner");
  expect_equal(found.lease.epoch, 1u, "the epoch");
  expect_equal(found.events, 2u, "the count of events");
  expect_equal(found.created_at, 1, "when it was created");
}

inline void lists_runs_newest_first(const store_factory& make) {
  auto it = make();
  for (auto id : {"c", "a", "e", "b", "d"})
    begin(*it, id);
  change(*it, "c", run_status::completed);
  change(*it, "e", run_status::completed);
  auto all = value_of(it->list_runs({}, SIZE_MAX));
  expect(ids_of(all) == ids{"e", "d", "c", "b", "a"}, "the last id is first");
  expect_equal(all[0].details, "changed", "the details");
  expect(ids_with(*it, run_status::running) == ids{"d", "b", "a"},
         "those that run are listed");
  expect(ids_with(*it, run_status::completed) == ids{"e", "c"},
         "those that are completed are listed");
  expect(ids_with(*it, run_status::failed).empty(), "none has failed");
  expect(ids_of(value_of(it->list_runs({}, 2))) == ids{"e", "d"},
         "no more than asked for");
  expect(value_of(it->list_runs({}, 0)).empty(), "none when none is wanted");
  auto filter = run_filter{};
  filter.before = "d";
  expect(ids_of(value_of(it->list_runs(filter, 2))) == ids{"c", "b"},
         "the next page");
  filter.status = run_status::running;
  expect(ids_of(value_of(it->list_runs(filter, 9))) == ids{"b", "a"},
         "the next page of one status");
  filter.before = "a";
  expect(value_of(it->list_runs(filter, 9)).empty(), "the page behind all");
}

inline void filters_runs(const store_factory& make) {
  auto it = make();
  auto add = [&](const char* id, const char* kind, const char* name,
                 const char* queue, int64_t at) {
    auto entry = begin_of(id, run_status::pending, at);
    entry.begin->kind = kind;
    entry.begin->name = name;
    entry.begin->queue = queue;
    commit_well(*it, entry);
  };
  add("1", "agent", "guide", "", 10);
  add("2", "workflow", "report", "nightly", 20);
  add("3", "workflow", "guide", "nightly", 30);
  add("4", "agent", "report", "", 40);
  auto list = [&](auto set) {
    auto filter = run_filter{};
    set(filter);
    return ids_of(value_of(it->list_runs(filter, 9)));
  };
  expect(list([](auto& x) { x.kind = "workflow"; }) == ids{"3", "2"}, "kind");
  expect(list([](auto& x) { x.name = "guide"; }) == ids{"3", "1"}, "name");
  expect(list([](auto& x) { x.queue = "nightly"; }) == ids{"3", "2"}, "queue");
  expect(list([](auto& x) { x.queue = ""; }) == ids{"4", "1"}, "no queue");
  expect(list([](auto& x) { x.since = 20; }) == ids{"4", "3", "2"}, "since");
  expect(list([](auto& x) { x.until = 20; }) == ids{"1"}, "until");
  expect(list([](auto& x) {
           x.kind = "workflow";
           x.name = "guide";
           x.since = 30;
           x.until = 31;
           x.status = run_status::pending;
         }) == ids{"3"},
         "all at once");
  auto is_odd = [](const run_head& x) {
    return x.run_id == "1" || x.details == "details of 3";
  };
  expect(ids_of(value_of(it->list_runs({}, 9, is_odd))) == ids{"3", "1"},
         "a predicate narrows further");
  expect(ids_of(value_of(it->list_runs({}, 1, is_odd))) == ids{"3"},
         "what it drops does not count");
}

inline void erases_only_runs_that_are_over(const store_factory& make) {
  auto it = make();
  auto entry = begin_of("r");
  entry.events = {{1, 1, "event"}};
  entry.values = {{"v", 1, "value"}};
  entry.artifacts = {{"a", "text/plain", 1, 0, "content"}};
  entry.sessions.push_back({key_of("s"), {message_of(1)}});
  commit_well(*it, entry);
  begin(*it, "q");
  expect(!value_of(it->erase_run("r")), "one that runs is not erased");
  change(*it, "q", run_status::suspended);
  expect(!value_of(it->erase_run("q")), "one that is suspended neither");
  change(*it, "r", run_status::failed);
  expect(value_of(it->erase_run("r")), "one that is over is");
  expect(!value_of(it->erase_run("r")), "but once");
  expect(!value_of(it->find_run("r")), "it is gone");
  expect(ids_with(*it, run_status::failed).empty(), "also from the list");
  expect_equal(load_all(*it, key_of("s")).size(), 1u,
               "the count of records of its conversation");
  expect(ids_of(value_of(it->list_runs({}, 9))) == ids{"q"}, "others are not");
  // One of the same id has nothing of the old.
  begin(*it, "r");
  expect(value_of(it->load_events("r", 0, 9)).empty(), "no old event");
  expect(value_of(it->load_values("r", "")).empty(), "no old value");
  expect(value_of(it->list_artifacts("r")).empty(), "no old artifact");
  commit_well(*it, event_of("r", 1, "new"));
  expect_equal(value_of(it->load_events("r", 0, 9)).at(0).body, "new",
               "the event");
}

/// Moves many runs about at random; what is listed must be what is found.
inline void lists_what_it_has(const store_factory& make) {
  auto it = make();
  auto random = std::mt19937{5};
  auto id_of = [](uint64_t i) { return "run " + std::to_string(100 + i); };
  for (int step = 0; step < 1500; ++step) {
    auto id = id_of(random() % 40);
    auto head = value_of(it->find_run(id));
    auto what = random() % 5;
    auto status = static_cast<run_status>(random() % 9);
    if (!head)
      begin(*it, id, random() % 2 == 0 ? run_status::running : status, step);
    else if (head->status == run_status::running)
      commit_well(*it, change_of(id, status, step, head->lease.epoch,
                                 static_cast<int64_t>(random() % 50)));
    else if (is_over(head->status))
      expect(value_of(it->erase_run(id)), "a run that is over is erased");
    else if (what == 0)
      value_of(it->request_cancel(id));
    else
      value_of(it->acquire(id, "o", step, what == 1 ? step : step + 10));
    if (what == 2)
      value_of(it->acquire_due({}, "o", static_cast<int64_t>(random() % 1500),
                               step + 10));
    if (what == 3 && random() % 8 == 0)
      value_of(it->reconcile(step, {}));
  }
  auto all = value_of(it->list_runs({}, SIZE_MAX));
  auto queued = size_t{0};
  for (int i = 0; i < 9; ++i) {
    auto status = static_cast<run_status>(i);
    auto wanted = ids{};
    for (const auto& run : all)
      if (run.status == status)
        wanted.push_back(run.run_id);
    expect(ids_with(*it, status) == wanted, "each is where its status says");
    if (status == run_status::queued)
      queued = wanted.size();
  }
  for (size_t i = 0; i < queued; ++i)
    expect(value_of(it->acquire_due({}, "o", far_future, 1)).has_value(),
           "each queued run is due");
  expect(!value_of(it->next_due({})), "and no other");
  expect(ids_with(*it, run_status::queued).empty(), "then none is left");
}

inline store_cases all() {
  return {
    {"runs", "knows no run at first", knows_no_run_at_first},
    {"runs", "begins a run", begins_a_run},
    {"runs", "begins a run without an owner", begins_a_run_without_an_owner},
    {"runs", "refuses a second run of one id", refuses_a_second_run_of_one_id},
    {"runs", "changes a run", changes_a_run},
    {"runs", "lists runs newest first", lists_runs_newest_first},
    {"runs", "filters runs", filters_runs},
    {"runs", "erases only runs that are over", erases_only_runs_that_are_over},
    {"runs", "lists what it has", lists_what_it_has},
  };
}

} // namespace run_cases

} // namespace troupe::conformance
