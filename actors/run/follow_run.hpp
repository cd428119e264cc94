#pragma once

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/run/run_spec.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/task.hpp"

#include <cstddef>
#include <utility>

namespace troupe {

/// Events that one answer to a follower holds at most.
inline constexpr auto most_followed = size_t{256};

/// What a follower gets out of the store.
followed_run_events stored_followed(run_event_batch batch,
                                    const run_record& record);

/// Stored events after `seq`, which the window of the run does not hold.
template <class Self>
co::task<followed_run_events> load_followed(Self* self, uint64_t seq) {
  auto& state = self->state;
  if (!state.record.is_over())
    co_await sync(self);
  auto asked = co::request<run_event_batch>(
    self, state.spec.services->store, caf::infinite,
    load_run_events{state.spec.run_id, seq, most_followed});
  auto batch = co_await asked;
  co_return stored_followed(std::move(batch), state.record);
}

/// Answers one who follows a run, as soon as there is something to tell.
template <class Self>
co::task<followed_run_events> answer_follower(Self* self, follow_run_events x) {
  auto& record = self->state.record;
  if (self->state.spec.is_step)
    throw co::failure{errc::invalid_request,
                      "the steps of a run are followed with the run"};
  auto& window = record.window();
  auto position = x.position;
  if (!window.holds(position))
    position = window.position_after(x.after);
  if (position == 0) {
    auto stored = co_await load_followed(self, x.after);
    co_return stored;
  }
  while (!window.has_more(position) && !record.is_over()) {
    window.grew.reset();
    co_await window.grew.wait(self);
  }
  auto result = followed_run_events{};
  result.events = window.from(position, most_followed);
  result.position = position + result.events.size();
  result.done = record.is_over() && !window.has_more(result.position);
  co_return result;
}

} // namespace troupe
