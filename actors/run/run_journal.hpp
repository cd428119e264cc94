#pragma once

#include "troupe/actors/run/run_spec.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/task.hpp"

#include <optional>
#include <string>
#include <utility>

namespace troupe {

// What a run does is collected here and leaves in one piece: to the store,
// which keeps it whole or not at all, and to those who read the run's events.
// `self` is the actor of a run of any kind: its state is a `run_base`.

/// Adds an event; a delta is for readers only.
void add_event(run_base& run, run_event event);

/// Whether deltas of the run, or of the step of one, are worth making.
bool has_reader(const run_base& run) noexcept;

/// Adds an event `custom` of that name. `data_json` is the text of an object
/// that has it too.
void add_note(run_base& run, const std::string& name, std::string data_json);

/// Adds what a part of the run tells, unless its last event is made; whether
/// it was.
bool add_note(run_base& run, const run_note& note);

/// Lets readers and subscribers have what was added.
void publish(run_base& run);

/// What was collected, unless it is nothing.
std::optional<commit_run> take_pending(run_base& run);

template <class Self>
void add_event(Self* self, run_event event) {
  add_event(self->state, std::move(event));
}

/// An event that is no more than its type and a text.
template <class Self>
void add_event(Self* self, event_type type, std::string text = {}) {
  auto event = run_event{};
  event.type = type;
  event.text = std::move(text);
  add_event(self->state, std::move(event));
}

/// Sends the store what was collected; not awaited, see `sync`.
template <class Self>
void flush_store_part(Self* self) {
  auto commit = take_pending(self->state);
  if (commit)
    self->send(self->state.spec.sink, std::move(*commit));
}

/// Lets everybody have what was collected. Before each wait that may be long.
template <class Self>
void flush(Self* self) {
  flush_store_part(self);
  publish(self->state);
}

/// Takes what a part of the run tells.
template <class Self>
void take_note(Self* self, const run_note& note) {
  if (add_note(self->state, note))
    flush(self);
}

/// Waits until all that was collected is as durable as the store makes it.
/// Throws `co::failure`.
template <class Self>
co::task<void> sync(Self* self) {
  flush_store_part(self);
  auto request = co::request<done>(self, self->state.spec.sink, caf::infinite,
                                   sync_store{self->state.key});
  co_await request;
}

} // namespace troupe
