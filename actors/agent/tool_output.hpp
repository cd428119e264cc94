#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

#include <cstddef>

namespace troupe {

/// Whether a result has to be stored, all of it or a part, before its model
/// sees it.
bool needs_storing(const tool_result& result);

/// Stores what the call in slot `index` gave beside its value, and a value that
/// is too long to be shown, under the workspace's path `artifacts`: all of it,
/// or nothing. Gives the result with references in their place, and shows the
/// model images where it takes them. Where it could not be stored, that is the
/// result.
co::task<tool_result> store_output(agent_ptr self, size_t index,
                                   tool_result result);

} // namespace troupe
