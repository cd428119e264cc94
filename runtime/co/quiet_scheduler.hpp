#pragma once

#include "caf/fwd.hpp"

namespace troupe::co {

/// Gives an actor system workers that share one queue, wake no thread for a
/// job that they will take themselves, and a clock that is left alone by actors
/// without timers. CAF 0.17's own clock is told of the end of every actor, and
/// its thread woken: a third of the cost of an actor that lives for one call.
/// When its thread destroys an actor, with that one's last timer, it tells
/// itself, and waits for ever where its queue is full: a system of many runs
/// that end at once stands still.
/// Call it before the system is made; `scheduler.max-threads` and
/// `scheduler.max-throughput` count, `scheduler.policy` does only where it is
/// "testing". A scheduler that is added behind it takes its place.
void use_quiet_scheduler(caf::actor_system_config& config);

} // namespace troupe::co
