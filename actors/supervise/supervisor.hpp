#pragma once

#include "troupe/actors/supervise/child_table.hpp"
#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/supervise_messages.hpp"
#include "troupe/runtime/supervise/child_spec.hpp"
#include "troupe/runtime/supervise/restart_strategy.hpp"
#include "troupe/runtime/supervise/restart_window.hpp"

#include "caf/error.hpp"
#include "caf/timespan.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace troupe {

/// What a supervisor is started with.
struct supervisor_spec {
  restart_strategy strategy = restart_strategy::one_for_one;
  /// More restarts than this within `period` are too many.
  std::size_t max_restarts = 3;
  caf::timespan period = std::chrono::seconds{5};
  /// How long a killed child may take to be gone: only one that is stuck in
  /// a handler takes any time.
  caf::timespan kill_timeout = std::chrono::seconds{5};
  /// Started in this order, stopped in reverse.
  std::vector<child_spec> children;
};

/// What a supervisor remembers.
struct supervisor_state {
  static constexpr const char* name = "supervisor";

  supervisor_state() = default;
  supervisor_state(const supervisor_state&) = delete;
  supervisor_state& operator=(const supervisor_state&) = delete;

  /// Kills whatever is left: a supervisor that was killed leaves no orphans.
  ~supervisor_state();

  supervisor_spec spec;
  child_table children;
  restart_window restarts;
  /// Failed children whose restart stops others first; one goes on at a time.
  std::deque<child_ptr> failures;
  /// Set while no such restart goes on.
  co::event settled;
  bool closing = false;
  /// Why the supervisor ends, once it is closing.
  caf::error reason;
  /// Everything has been stopped.
  co::event closed;
  /// Children that outlived being killed while closing.
  std::vector<std::string> outlived;
  co::scope running;
};

/// Starts `spec`'s children and keeps them alive, without ever waiting in a
/// handler. A child that ends by itself is restarted as its spec and the
/// strategy say, or leaves the list. When restarts pile up, or a child cannot
/// be started or ended, the supervisor stops all others and ends with
/// an error: what to do next is its own supervisor's decision. An exit
/// message stops the children first; `kill` does not wait for that, but
/// kills them too.
supervisor_actor::behavior_type
supervisor_behavior(supervisor_actor::stateful_pointer<supervisor_state> self,
                    supervisor_spec spec);

} // namespace troupe
