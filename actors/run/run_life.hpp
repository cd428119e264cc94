#pragma once

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/run/run_spec.hpp"
#include "troupe/config/sandbox_settings.hpp"
#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/task.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

// How a run of any kind begins and ends, as others see it: its object, its
// first and its last event, and the changes of the store that they stand for.

inline constexpr auto rest_key = co::frame_key{0, 5};

/// How long a child may take to end before it is killed and reported.
inline constexpr auto ending_time = std::chrono::seconds{15};

/// Makes the object of a run that begins, or takes up what its last owner left
/// of it.
void begin_run(run_base& run, run_spec spec, std::string kind,
               std::string name);

/// Opens the step that an agent's run is itself.
void open_own_step(run_base& run);

/// Records that the run begins or goes on. A step has nothing to say.
void record_start(run_base& run);

/// Makes the run object final; steps that are open end with it.
void close_object(run_base& run, run_outcome outcome);

/// The last event, and the change of the run that it stands for. `record` is
/// that of the message that holds the response, or 0.
void record_end(run_base& run, uint64_t record);

/// After the last event could not be stored: a run whose end could not be
/// stored has failed, whatever it did.
void record_lost_end(run_base& run, const caf::error& why);

/// Tells everybody in the process but the registry that the run is over.
void announce_end(run_base& run);

/// Where a run works: as it was asked to, or else as `declared` says.
workspace_settings workspace_of(const run_base& run,
                                workspace_settings declared);

/// What is stored of the end that `record_lost_end` made, behind the last event
/// that the store has of the run. Without details, those that are there stay.
commit_run make_last_word(const run_base& run, uint64_t events,
                          std::string details);

/// The details of such an end: without a response, which may be what there was
/// no room for.
std::string lost_details(const run_base& run);

/// Stores that the run has failed, whatever else of it is missing: or it would
/// be taken for one that lost its process, and run again.
template <class Self>
co::task<void> store_lost_end(Self* self) {
  auto& state = self->state;
  if (state.spec.is_step)
    co_return;
  auto store = state.spec.services->store;
  auto details = lost_details(state);
  for (auto tries = 0; tries < 2; ++tries) {
    auto finding = co::request<run_list>(self, store, caf::infinite,
                                         find_run{state.spec.run_id});
    auto found = co_await co::as_expected(std::move(finding));
    if (!found || found->runs.empty())
      co_return; // nothing of it is stored
    const auto& head = found->runs.front();
    if (head.status != run_status::running
        || head.lease.epoch != state.spec.epoch)
      co_return; // it is somebody else's
    self->send(store,
               make_last_word(state, head.events, std::exchange(details, {})));
    auto syncing = co::request<done>(self, store, caf::infinite,
                                     sync_store{state.key});
    auto stored = co_await co::as_expected(std::move(syncing));
    if (stored)
      co_return;
  }
}

template <class Self>
co::task<void> store_end(Self* self) {
  auto lost = caf::error{};
  try {
    co_await sync(self);
  } catch (const co::failure& why) {
    lost = why.reason();
  }
  if (!lost)
    co_return;
  record_lost_end(self->state, lost);
  co_await store_lost_end(self);
}

/// Stores that a run which had lost its process got to work again, before it
/// does: what kills this process, too, must not find the run as it was.
template <class Self>
co::task<void> note_recovery(Self* self) {
  auto& state = self->state;
  if (!state.spec.earlier || !state.spec.earlier->recovery)
    co_return;
  state.pending.values.push_back(
    make_recovery_value(*state.spec.earlier->recovery, now_micros()));
  co_await sync(self);
}

/// Has one child end; a failure is kept with the run, never swallowed.
template <class Self, class Handle>
co::task<void> end_child(Self* self, Handle child, std::string what) {
  auto asked = co::request<done>(self, child, ending_time, end_work{});
  auto ended = co_await co::as_expected(std::move(asked));
  if (ended || ended.error() == caf::sec::request_receiver_down)
    co_return; // one that has gone by itself has ended
  self->state.record.object.cleanup_failures.push_back(
    what + ": " + to_fault(ended.error()).message);
  self->send_exit(child, caf::exit_reason::kill);
}

/// Closes what the application registered; its functions may block.
template <class Self>
co::task<void> close_resources(Self* self) {
  auto& state = self->state;
  auto call = std::function<std::vector<std::string>()>{
    [resources = state.spec.resources] { return resources->close(); }};
  auto work = co::offload(self, *state.spec.services->pool, std::move(call));
  auto failures = co_await work;
  auto& all = state.record.object.cleanup_failures;
  all.insert(all.end(), failures.begin(), failures.end());
}

/// Answers when the run is over, or not within the limit.
template <class Self>
co::task<run_object> answer_object(Self* self, await_run x) {
  auto& record = self->state.record;
  // No clock overflows.
  constexpr auto longest = std::chrono::hours{24 * 365 * 100};
  if (x.limit > longest) {
    co_await record.over.wait(self);
    co_return record.object;
  }
  auto in_time = record.over.is_set();
  if (!in_time && x.limit > caf::timespan{0})
    in_time = co_await record.over.wait_for(self, x.limit);
  if (!in_time)
    throw co::failure{caf::make_error(caf::sec::request_timeout)};
  co_return record.object;
}

/// Answers when there is something to read.
template <class Self>
co::task<run_event_batch> answer_events(Self* self, pull_run_events x) {
  auto& record = self->state.record;
  if (x.leaves) {
    record.drop_events();
    co_return run_event_batch{};
  }
  while (!record.is_readable())
    co_await record.readable.wait(self);
  co_return record.take();
}

/// The outcome of a run that somebody cancels, and of one whose time is up.
run_outcome cancelled_outcome(const std::string& reason);
run_outcome expired_outcome();

/// Ends a run as cancelled that has come to rest, where it waits for somebody:
/// whoever asks for its object meanwhile gets what it is then.
template <class Self>
co::task<void> cancel_at_rest(Self* self, std::string reason) {
  auto& state = self->state;
  auto asked = co::request<run_object>(self, state.spec.registry, caf::infinite,
                                       cancel_stored_run{state.spec.run_id,
                                                         std::move(reason)});
  auto ended = co_await co::as_expected(std::move(asked));
  if (ended)
    state.record.object = std::move(*ended);
  state.record.over.set();
}

/// What `cancel_run` does to a run.
template <class Self>
void take_cancel(Self* self, const cancel_run& x) {
  auto& state = self->state;
  auto is_at_rest = state.record.is_over() && state.record.over.is_set()
                    && state.record.object.status == run_status::suspended;
  if (!is_at_rest || !state.spec.registry)
    return begin_ending(self, cancelled_outcome(x.reason));
  state.record.over.reset();
  state.running.spawn(self, rest_key, cancel_at_rest(self, x.reason));
}

} // namespace troupe
