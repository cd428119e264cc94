#pragma once

#include "caf/fwd.hpp"

namespace troupe::co {

/// Gives an actor system workers that share one queue, wake no thread for a
/// job that they will take themselves, and a clock that is left alone by actors
/// without timers. CAF 0.17's own clock is told of the end of every actor, and
/// its thread woken: a third of the cost of an actor that lives for one call.
/// Call it before the system is made; `scheduler.max-threads` and
/// `scheduler.max-throughput` count, `scheduler.policy` does not.
void use_quiet_scheduler(caf::actor_system_config& config);

} // namespace troupe::co
