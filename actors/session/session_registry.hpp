#pragma once

#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include "caf/timespan.hpp"

#include <chrono>
#include <string>
#include <unordered_map>

namespace troupe {

struct session_registry_spec {
  store_actor store;
  /// How long a session that nobody uses stays in memory.
  caf::timespan idle_after = std::chrono::minutes{1};
};

/// Finds or starts the session of a key. All traffic of sessions goes through
/// it, so it knows which are in use, and ends those that have not been for a
/// while; they come back from the store.
struct session_registry_state {
  static inline const char* name = "session_registry";

  struct entry {
    /// Null while only the run that made the session up knows of it: it has
    /// nothing to load and nobody to wait for.
    session_actor session;
    std::string holder;
    caf::actor_addr holder_actor;
    /// Turns passed on to it.
    uint64_t opened = 0;
    bool is_idle = false;
    caf::actor_clock::time_point idle_since;
  };

  session_registry_spec spec;
  std::unordered_map<std::string, entry> sessions;
  bool is_sweeping = false;
  co::scope running;
};

session_registry_actor::behavior_type session_registry_behavior(
  session_registry_actor::stateful_pointer<session_registry_state> self,
  session_registry_spec spec);

} // namespace troupe
