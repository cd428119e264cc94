#pragma once

#include "troupe/storage/conformance/support.hpp"

namespace troupe::conformance {

namespace schedule_cases {

inline void enqueue(store& to, const std::string& id, int64_t due_at,
                    const std::string& queue = {}, int64_t created_at = 1) {
  auto entry = begin_of(id, run_status::queued, created_at);
  entry.begin->due_at = due_at;
  entry.begin->queue = queue;
  commit_well(to, entry);
}

/// The id of the next run that is due at `now`, or nothing.
inline std::string take(store& from, int64_t now,
                        const std::optional<std::string>& queue = {}) {
  auto head = value_of(from.acquire_due(queue, "host/9", now, now + 100));
  if (!head)
    return {};
  expect(head->status == run_status::running, "what was taken runs");
  expect_equal(head->lease.owner, "host/9", "the owner");
  expect_equal(head->lease.until, now + 100, "the end of the lease");
  return head->run_id;
}

inline void takes_what_is_due_longest(const store_factory& make) {
  auto it = make();
  enqueue(*it, "a", 30);
  enqueue(*it, "b", 10);
  enqueue(*it, "c", 20);
  enqueue(*it, "d", 10);
  expect_equal(value_of(it->next_due({})).value_or(0), 10, "the next");
  expect_equal(take(*it, 9), "", "none is due yet");
  expect_equal(take(*it, 10), "b", "the first");
  expect_equal(take(*it, 100), "d", "the second");
  expect_equal(value_of(it->next_due({})).value_or(0), 20, "the next then");
  expect_equal(take(*it, 100), "c", "the third");
  expect_equal(take(*it, 29), "", "none is due at 29");
  expect_equal(take(*it, 30), "a", "the last");
  expect_equal(take(*it, 1000), "", "each but once");
  expect(!value_of(it->next_due({})), "none is left");
}

inline void takes_at_once_in_order_of_queueing(const store_factory& make) {
  auto it = make();
  enqueue(*it, "a", 0, "", 50);
  enqueue(*it, "b", 0, "", 40);
  enqueue(*it, "c", 45);
  expect_equal(take(*it, 60), "b", "the one queued first");
  expect_equal(take(*it, 60), "c", "the one due next");
  expect_equal(take(*it, 60), "a", "the one queued last");
}

inline void keeps_queues_apart(const store_factory& make) {
  auto it = make();
  enqueue(*it, "a", 10, "red");
  enqueue(*it, "b", 20, "");
  enqueue(*it, "c", 30, "re");
  enqueue(*it, "d", 40, std::string(1000, 'q'));
  expect_equal(value_of(it->next_due("re")).value_or(0), 30, "the next of it");
  expect(!value_of(it->next_due("r")), "there is no such queue");
  expect_equal(take(*it, 99, "re"), "c", "that of the queue");
  expect_equal(take(*it, 99, "re"), "", "and no other");
  expect_equal(take(*it, 99, std::string(1000, 'q')), "d", "a long name");
  expect_equal(take(*it, 99, ""), "b", "that of no queue");
  expect_equal(take(*it, 99), "a", "that of any queue");
  expect_equal(take(*it, 99, "red"), "", "which is then gone from its own");
}

inline void orders_times_before_the_epoch(const store_factory& make) {
  auto it = make();
  enqueue(*it, "a", INT64_MAX);
  enqueue(*it, "b", -10);
  enqueue(*it, "c", INT64_MIN);
  enqueue(*it, "d", 5);
  expect_equal(take(*it, -20), "c", "the very first");
  expect_equal(take(*it, -20), "", "no other");
  expect_equal(take(*it, 99), "b", "the next");
  expect_equal(take(*it, 99), "d", "the one after");
  expect_equal(take(*it, 99), "", "no other before the end of time");
}

inline void queues_a_run_again(const store_factory& make) {
  auto it = make();
  begin(*it, "r");
  commit_well(*it, change_of("r", run_status::queued, 10, 1, 70));
  auto head = found_in(it->find_run("r"));
  expect_equal(head.due_at, 70, "when it is due");
  expect_equal(head.lease.owner, "", "the owner");
  expect_equal(take(*it, 69), "", "not before");
  expect_equal(take(*it, 70), "r", "but then");
  head = found_in(it->find_run("r"));
  expect_equal(head.lease.epoch, 2u, "the epoch");
  expect_equal(head.recoveries, 0u, "the count of recoveries");
  expect_equal(head.due_at, 0, "it is due no more");
  commit_well(*it, change_of("r", run_status::queued, 80, 2));
  expect_equal(take(*it, 80), "r", "at once");
}

inline void leaves_the_queue_however_it_starts(const store_factory& make) {
  auto it = make();
  enqueue(*it, "a", 10);
  enqueue(*it, "b", 20);
  auto head = found_in(it->acquire("a", "host/1", 5, 50));
  expect_equal(head.recoveries, 0u, "the count of recoveries");
  expect_equal(value_of(it->next_due({})).value_or(0), 20, "the next");
  change(*it, "a", run_status::completed, 11, head.lease.epoch);
  found_in(it->request_cancel("b"));
  expect_equal(take(*it, 99), "b", "one that is to end is taken, to be ended");
  expect_equal(take(*it, 99), "", "and no other");
}

inline store_cases all() {
  return {
    {"schedule", "takes what is due longest", takes_what_is_due_longest},
    {"schedule", "takes at once in order of queueing",
     takes_at_once_in_order_of_queueing},
    {"schedule", "keeps queues apart", keeps_queues_apart},
    {"schedule", "orders times before the epoch",
     orders_times_before_the_epoch},
    {"schedule", "queues a run again", queues_a_run_again},
    {"schedule", "leaves the queue however it starts",
     leaves_the_queue_however_it_starts},
  };
}

} // namespace schedule_cases

} // namespace troupe::conformance
