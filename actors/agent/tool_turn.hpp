#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

/// Runs the calls of the conversation's last message and adds their results,
/// in call order. Throws `co::failure` when the limit of calls is reached.
co::task<void> run_calls(agent_ptr self);

/// Moves the results of the turn under way into the conversation: one for each
/// call, in call order. A call without one is told `missing`.
void settle_calls(agent_ptr self, const std::string& missing);

} // namespace troupe
