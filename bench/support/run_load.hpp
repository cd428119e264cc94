#pragma once

#include "troupe/runtime/messages/interfaces.hpp"

#include "caf/fwd.hpp"

#include <cstddef>

namespace troupe::bench {

/// `count` runs of one request, `width` of them in flight.
struct run_load {
  run_request request;
  size_t count = 1;
  size_t width = 1;
};

/// Puts a load on `runs` and returns when all of it has completed; reads the
/// events of each run to their end where it keeps them. Throws
/// `std::runtime_error` when one does not complete.
void drive(caf::actor_system& system, const run_registry_actor& runs,
           run_load load);

} // namespace troupe::bench
