#pragma once

#include "caf/fwd.hpp"

namespace troupe {

/// Makes every message type and error kind of the project known to a CAF
/// configuration, and gives its system the scheduler that our actors need, see
/// `co::use_quiet_scheduler`. Call it for each actor system that runs our
/// actors, before it is made: the application's, the tests' and each node's.
void register_messages(caf::actor_system_config& config);

} // namespace troupe
