#pragma once

#include "troupe/actors/run/run_catalog.hpp"
#include "troupe/actors/run/run_services.hpp"
#include "troupe/actors/run/run_spec.hpp"
#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/co/task.hpp"
#include "troupe/runtime/messages/ids.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

namespace troupe {

struct run_registry_spec {
  run_services_ptr services;
  run_catalog_ptr catalog;
};

/// Owns the top-level runs of a runtime: starts them, no more at once than
/// allowed, in the order they were asked for, tells them when their time is
/// up and ends them with itself. One timer serves the deadlines of all runs.
struct run_registry_state {
  static inline const char* name = "run_registry";

  struct entry {
    run_actor run;
    uint64_t epoch = 0;
    /// Its place in `deadlines`.
    std::multimap<int64_t, std::string>::iterator deadline;
  };

  run_registry_spec spec;
  id_maker ids;
  std::unordered_map<std::string, entry> runs;
  /// Microseconds since the epoch -> run id.
  std::multimap<int64_t, std::string> deadlines;
  /// When the timer fires; 0 without one.
  int64_t wakes_at = 0;
  /// Set while another run may start.
  co::event has_room;
  /// Set when no run is left.
  co::event is_empty;
  bool is_closing = false;
  /// Somebody looks after the leases.
  bool is_keeping_leases = false;
  co::scope running;
};

using registry_ptr = run_registry_actor::stateful_pointer<run_registry_state>;

run_registry_actor::behavior_type run_registry_behavior(registry_ptr self,
                                                        run_registry_spec spec);

// For what else the registry does: see run_resumption.hpp, run_leases.hpp.

/// Throws `co::failure` where what the application gave is not well-formed.
void check_request(const run_request& request);

/// Waits until one more run may start; throws when the registry closes.
co::task<void> await_room(registry_ptr self);

/// Starts the actor of a run, whose deadline begins now.
run_handle spawn_run(registry_ptr self, run_definition what, run_spec spec);

} // namespace troupe
