#pragma once

#include "troupe/actors/tools/tool.hpp"
#include "troupe/config/agent_settings.hpp"

namespace troupe {

/// Whether a model is shown a tool: one that the rules could never allow, or
/// that the sandbox cannot do (the virtual one has no processes), is not.
bool is_offered(const tool_spec& spec, const permission_settings& rules,
                const sandbox_settings& sandbox);

} // namespace troupe
