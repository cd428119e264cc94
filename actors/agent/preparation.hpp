#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

/// Gets a run all that it works with: its turn of the session, its model, its
/// sandbox, the tools it may offer, its system messages; then records the
/// user's message. Throws `co::failure`.
co::task<void> prepare_run(agent_ptr self);

/// The run's sandbox; starts it where no tool needed it before. What keeps it
/// from being opened is the answer to the first request.
const sandbox_actor& need_sandbox(agent_ptr self);

} // namespace troupe
