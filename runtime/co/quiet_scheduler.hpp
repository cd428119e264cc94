#pragma once

#include "caf/fwd.hpp"

namespace troupe::co {

/// Has an actor system schedule by sharing, with a clock that is left alone
/// by actors without timers. CAF 0.17's own clock is told of the end of every
/// actor, and its thread woken: a third of the cost of an actor that lives
/// for one call. Before the system is made; `scheduler.max-threads` counts.
void use_quiet_scheduler(caf::actor_system_config& config);

} // namespace troupe::co
