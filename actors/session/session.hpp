#pragma once

#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Enough to start a session again.
struct session_spec {
  session_key key;
  store_actor store;
  /// Told when nobody waits for this session.
  session_registry_actor registry;
  /// The run that has the turn from the start, and its actor; empty: none.
  std::string holder;
  caf::actor_addr holder_actor;
};

class turn_place;

/// One conversation while it is in use: hands its turns to one run at a time,
/// in the order they were asked for, and keeps the messages between turns.
/// Started and ended by the session registry.
struct session_state {
  static inline const char* name = "session";

  session_spec spec;
  /// The conversation, when `is_loaded` and no run has the turn.
  std::vector<chat_message_ptr> messages;
  std::string state_json = "{}";
  /// How many records the log had then.
  uint64_t records = 0;
  bool is_loaded = false;
  /// The run that has the turn, and its actor; empty: none.
  std::string holder;
  caf::actor_addr holder_actor;
  /// Who waits, the next one first. Mostly empty, which a deque pays for.
  std::vector<turn_place*> queue;
  /// Turns asked for that are over.
  uint64_t served = 0;
  co::scope running;
};

using session_ptr = session_actor::stateful_pointer<session_state>;

session_actor::behavior_type session_behavior(session_ptr self,
                                              session_spec spec);

} // namespace troupe
