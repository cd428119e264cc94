#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

/// Asks the model once and adds its whole answer to the conversation. While
/// it arrives, what has come stands in `answer`. Throws `co::failure`.
co::task<stop_reason> ask_model(agent_ptr self);

} // namespace troupe
