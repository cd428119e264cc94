#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

/// The key of the loop's root coroutine.
inline constexpr auto loop_key = co::frame_key{0, 1};

/// The key of the roots that each wait for one tool call.
inline constexpr auto call_key = co::frame_key{0, 2};

/// Asks the model and runs its calls until it answers without one (completed),
/// or a call waits for a person (suspended). Throws `co::failure`, with kind
/// `limit` where a limit ends it.
co::task<run_status> converse(agent_ptr self);

} // namespace troupe
