#pragma once

#include "caf/actor.hpp"
#include "caf/actor_cast.hpp"
#include "caf/fwd.hpp"
#include "caf/timespan.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace troupe {

/// What a supervisor does when a child has ended by itself.
enum class restart_kind : uint8_t {
  /// Starts it again, always.
  permanent,
  /// Starts it again unless it ended with `normal` or a shutdown.
  transient,
  /// Never starts it again, not even along with others.
  temporary,
};

/// Whether a child has children that can be listed.
enum class child_kind : uint8_t {
  worker,
  /// A `supervisor_actor`.
  supervisor,
};

/// Starts a child, again each time it is to be restarted. Runs in the
/// supervisor: it must not block. An exception counts as a failed start.
using start_function = std::function<caf::actor(caf::actor_system&)>;

/// All that a supervisor knows about a child: how to start it, whether to
/// start it again, how to stop it. A value, and local to its process, because
/// a function is.
struct child_spec {
  /// Unique within its supervisor.
  std::string id;
  start_function start;
  restart_kind restart = restart_kind::permanent;
  /// How long it may take to end when asked; then it is killed. 0 kills at
  /// once.
  caf::timespan grace = std::chrono::seconds{5};
  child_kind kind = child_kind::worker;
};

/// Makes a start function of `start`, which may give a typed handle.
template <class F>
start_function start_with(F start) {
  return [start = std::move(start)](caf::actor_system& system) {
    return caf::actor_cast<caf::actor>(start(system));
  };
}

} // namespace troupe
