#pragma once

#include "troupe/runtime/co/cancel_request.hpp"
#include "troupe/runtime/messages/done.hpp"
#include "troupe/runtime/supervise/child_spec.hpp"

#include "caf/actor.hpp"
#include "caf/allowed_unsafe_message_type.hpp"
#include "caf/meta/type_name.hpp"
#include "caf/replies_to.hpp"
#include "caf/stateful_actor.hpp"
#include "caf/timespan.hpp"
#include "caf/typed_actor.hpp"
#include "caf/typed_event_based_actor.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Starts one more child; answered with its handle once it runs, or with the
/// error of its start function. Such children do not depend on each other:
/// they fail alone and are stopped together.
///
/// The one message that does not serialise, because a start function is code:
/// children are started from the supervisor's own process. Who wants one on
/// another node asks an actor there that knows how to start it.
struct start_child {
  child_spec spec;
};

/// Stops a child for good; answered when it has ended.
struct stop_child {
  std::string id;
};

template <class Inspector>
auto inspect(Inspector& f, stop_child& x) {
  return f(caf::meta::type_name("troupe::stop_child"), x.id);
}

/// How a child was stopped.
struct stopped_child {
  /// It did not end in its grace.
  bool killed = false;
};

template <class Inspector>
auto inspect(Inspector& f, stopped_child& x) {
  return f(caf::meta::type_name("troupe::stopped_child"), x.killed);
}

/// Asks for the handle of a running child, which a restart changes.
struct find_child {
  std::string id;
};

template <class Inspector>
auto inspect(Inspector& f, find_child& x) {
  return f(caf::meta::type_name("troupe::find_child"), x.id);
}

/// Asks for the children and, beneath each supervisor, for its own.
struct list_children {
  /// How long the answer may wait for what busy children tell. Each level
  /// below gets half.
  caf::timespan limit = std::chrono::seconds{1};
};

template <class Inspector>
auto inspect(Inspector& f, list_children& x) {
  return f(caf::meta::type_name("troupe::list_children"), x.limit);
}

/// Where a child stands.
enum class child_state : uint8_t {
  /// Waits for a restart of others to end before it starts.
  starting,
  running,
  /// Was asked to end, and killed if it did not.
  stopping,
  /// Has ended and waits for others to stop before it starts again.
  restarting,
  /// Could not be ended, or not be started again.
  failed,
};

/// The word for `x`: "starting", "running" and so on.
std::string to_string(child_state x);

/// One line of a supervision tree.
struct child_info {
  /// What `mailbox` is when the child is busy and does not tell.
  static constexpr int64_t unknown_mailbox = -1;

  std::string id;
  child_kind kind = child_kind::worker;
  child_state state = child_state::running;
  /// How often it was started again.
  uint64_t restarts = 0;
  /// Messages that wait for it.
  int64_t mailbox = unknown_mailbox;
  /// 0 for the children of the supervisor that was asked.
  uint32_t depth = 0;
};

template <class Inspector>
auto inspect(Inspector& f, child_info& x) {
  return f(caf::meta::type_name("troupe::child_info"), x.id, x.kind, x.state,
           x.restarts, x.mailbox, x.depth);
}

/// A supervision tree in start order, the children of a supervisor right
/// behind it.
struct child_list {
  std::vector<child_info> children;
};

template <class Inspector>
auto inspect(Inspector& f, child_list& x) {
  return f(caf::meta::type_name("troupe::child_list"), x.children);
}

/// Asks an actor how many messages wait for it. CAF lets only an actor itself
/// count them, so who wants to be seen at work has this in its interface;
/// that an actor is idle can be seen from outside.
struct measure_mailbox {};

template <class Inspector>
auto inspect(Inspector& f, measure_mailbox&) {
  return f(caf::meta::type_name("troupe::measure_mailbox"));
}

/// An actor that tells its load, beside whatever else it does.
using measured_actor
  = caf::typed_actor<caf::replies_to<measure_mailbox>::with<int64_t>>;

/// Keeps children alive. `end_work` stops them in reverse order, then ends
/// the supervisor; the answer comes when all are gone.
using supervisor_actor
  = co::cancellable_actor<caf::replies_to<start_child>::with<caf::actor>,
                          caf::replies_to<stop_child>::with<stopped_child>,
                          caf::replies_to<find_child>::with<caf::actor>,
                          caf::replies_to<list_children>::with<child_list>,
                          caf::replies_to<measure_mailbox>::with<int64_t>,
                          caf::replies_to<end_work>::with<done>>;

} // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::start_child)
