#pragma once

#include "troupe/runtime/messages/helper_messages.hpp"
#include "troupe/runtime/messages/local_ptr.hpp"
#include "troupe/runtime/messages/run_event.hpp"
#include "troupe/runtime/messages/run_object.hpp"
#include "troupe/runtime/messages/run_resources.hpp"

#include "caf/meta/type_name.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Asks for the events after the first `seen` of a run, all that have not been
/// pulled; answered when there is one or the run is over. What was pulled is
/// forgotten, so there is one reader.
struct pull_run_events {
  /// He goes, and wants no more: the run waits for him no longer.
  bool leaves = false;
};

template <class Inspector>
auto inspect(Inspector& f, pull_run_events& x) {
  return f(caf::meta::type_name("troupe::pull_run_events"), x.leaves);
}

struct run_event_batch {
  std::vector<run_event> events;
  /// The last of them was the run's last.
  bool done = false;
};

template <class Inspector>
auto inspect(Inspector& f, run_event_batch& x) {
  return f(caf::meta::type_name("troupe::run_event_batch"), x.events, x.done);
}

/// Asks for events of a run, stored ones and those that happen, as many readers
/// as like; answered when there is one or the run is over. A reader that falls
/// behind reads what the store has: it loses deltas and nothing else.
struct follow_run_events {
  /// The last stored event that the reader has; 0: none.
  uint64_t after = 0;
  /// `followed_run_events::position` of its last answer; 0: it has none.
  uint64_t position = 0;
};

template <class Inspector>
auto inspect(Inspector& f, follow_run_events& x) {
  return f(caf::meta::type_name("troupe::follow_run_events"), x.after,
           x.position);
}

struct followed_run_events {
  std::vector<shared<run_event>> events;
  uint64_t position = 0;
  /// The last of them was the run's last.
  bool done = false;
};

template <class Inspector>
auto inspect(Inspector& f, followed_run_events& x) {
  return f(caf::meta::type_name("troupe::followed_run_events"), x.events,
           x.position, x.done);
}

/// Answered with the run object when the run has ended, and with
/// `caf::sec::request_timeout` where it has not within `limit`.
struct await_run {
  static constexpr auto forever = caf::timespan::max();
  caf::timespan limit = forever;
};

template <class Inspector>
auto inspect(Inspector& f, await_run& x) {
  return f(caf::meta::type_name("troupe::await_run"), x.limit);
}

/// Ends a run as cancelled; harmless when it has ended.
struct cancel_run {
  std::string reason;
};

template <class Inspector>
auto inspect(Inspector& f, cancel_run& x) {
  return f(caf::meta::type_name("troupe::cancel_run"), x.reason);
}

/// A run's supervisor tells it that its time is up.
struct expire_run {};

template <class Inspector>
auto inspect(Inspector& f, expire_run&) {
  return f(caf::meta::type_name("troupe::expire_run"));
}

/// See run_catalog.hpp.
struct run_definition;

/// Starts a run; answered when it has started, which is at once unless as many
/// run as may.
struct start_run {
  run_request request;
  /// What is to be closed with the run; may be null.
  run_resources_ptr resources;
  /// What it is a run of, where that was made for it; null: who
  /// `request.agent` names.
  local_ptr<const run_definition> definition;
};

template <class Inspector>
auto inspect(Inspector& f, start_run& x) {
  return f(caf::meta::type_name("troupe::start_run"), x.request, x.resources,
           x.definition);
}

/// Puts a run off: it waits in the store until a worker takes it. Answered
/// with its object when it is stored.
struct queue_run {
  run_request request;
  std::string queue;
  /// Not to be started before; 0 at once.
  int64_t due_at = 0;
};

template <class Inspector>
auto inspect(Inspector& f, queue_run& x) {
  return f(caf::meta::type_name("troupe::queue_run"), x.request, x.queue,
           x.due_at);
}

/// What a person decided about one pending call.
struct call_decision {
  std::string call_id;
  bool approve = false;
  /// For the model, when it is denied; may be empty.
  std::string reason;
};

template <class Inspector>
auto inspect(Inspector& f, call_decision& x) {
  return f(caf::meta::type_name("troupe::call_decision"), x.call_id, x.approve,
           x.reason);
}

/// Goes on with a run that was suspended, interrupted or queued, at once, or
/// puts it back into the queue.
struct resume_run {
  std::string run_id;
  std::vector<call_decision> decisions;
  /// What a suspended workflow waits for: JSON text, or empty.
  std::string input_json;
  bool with_events = false;
  /// Goes into the queue instead of being run here.
  bool later = false;
  std::string queue;
  int64_t due_at = 0;
  /// A worker took it already: its epoch; 0: it has to be acquired.
  uint64_t epoch = 0;
  /// As in `start_run`.
  local_ptr<const run_definition> definition;
};

template <class Inspector>
auto inspect(Inspector& f, resume_run& x) {
  return f(caf::meta::type_name("troupe::resume_run"), x.run_id, x.decisions,
           x.input_json, x.with_events, x.later, x.queue, x.due_at, x.epoch,
           x.definition);
}

/// Ends a stored run as cancelled, wherever it is: asks its owner, or settles
/// it here where it has none. Answered with its object as it is then.
struct cancel_stored_run {
  std::string run_id;
  std::string reason;
};

template <class Inspector>
auto inspect(Inspector& f, cancel_stored_run& x) {
  return f(caf::meta::type_name("troupe::cancel_stored_run"), x.run_id,
           x.reason);
}

/// A run tells its registry that it is over.
struct run_over {
  std::string run_id;
};

template <class Inspector>
auto inspect(Inspector& f, run_over& x) {
  return f(caf::meta::type_name("troupe::run_over"), x.run_id);
}

} // namespace troupe
