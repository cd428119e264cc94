#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

/// Gets a run all that it works with: its turn of the session, its model, its
/// sandbox, the tools it may offer, its system messages; then records the
/// user's message. Throws `co::failure`.
co::task<void> prepare_run(agent_ptr self);

} // namespace troupe
