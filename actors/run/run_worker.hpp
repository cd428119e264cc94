#pragma once

#include "troupe/actors/run/run_services.hpp"
#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace troupe {

/// What a worker takes and whom it tells.
struct worker_options {
  /// Of this queue only.
  std::optional<std::string> queue;
  /// Ends when nothing is due and all that it took are over.
  bool once = false;
  /// Told the object of each run that it took, when it is over or suspended; on
  /// a thread of the runtime. May be empty.
  std::function<void(const run_object&)> on_end;
};

struct run_worker_spec {
  run_services_ptr services;
  run_registry_actor registry;
  worker_options options;
};

/// Takes runs out of the store and has them run here: those that are queued and
/// due, and those that lost their process. Any number of workers may take from
/// one store: each run is taken by one.
struct run_worker_state {
  static inline const char* name = "run_worker";

  run_worker_spec spec;
  uint32_t active = 0;
  bool is_closing = false;
  /// Set when a run has ended.
  co::event has_room;
  /// Set when the worker has ended its work.
  co::event is_done;
  co::scope running;
};

using run_worker_ptr = run_worker_actor::stateful_pointer<run_worker_state>;

run_worker_actor::behavior_type run_worker_behavior(run_worker_ptr self,
                                                    run_worker_spec spec);

} // namespace troupe
