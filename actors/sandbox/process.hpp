#pragma once

#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/sandbox/process_io.hpp"
#include "troupe/sandbox/process_runner.hpp"

#include "caf/actor_addr.hpp"
#include "caf/error.hpp"

#include <memory>

namespace troupe {

/// What a process actor is started with.
struct process_actor_spec {
  std::shared_ptr<process_runner> runner;
  std::shared_ptr<process_io> io;
  process_spec command;
  /// It ends with this actor.
  caf::strong_actor_ptr owner;
};

/// One command that somebody talks with. Owns it: when the actor is gone, by
/// whatever end, the command has been told to end too.
struct process_actor_state {
  static inline const char* name = "process";

  ~process_actor_state();

  std::shared_ptr<process_runner> runner;
  std::shared_ptr<process_io> io;
  process_runner::process_id id = 0;
  /// It runs until this is set.
  co::event ended;
  process_result result;
  caf::error failed;
  co::scope running;
};

process_actor::behavior_type
process_behavior(process_actor::stateful_pointer<process_actor_state> self,
                 process_actor_spec spec);

} // namespace troupe
