#pragma once

#include "troupe/actors/tools/tool.hpp"
#include "troupe/actors/workflow/helper_set.hpp"

#include <vector>

namespace troupe {

// The names of the tools that a model orders its subagents with.
inline constexpr auto spawn_tool = "subagent_spawn";
inline constexpr auto message_tool = "subagent_message";
inline constexpr auto wait_tool = "subagent_wait";
inline constexpr auto list_tool = "subagent_list";
inline constexpr auto stop_tool = "subagent_stop";

/// The tools that an agent with these helpers has beside its own. The host of
/// the agent's run does what they say, see helper_host.hpp.
std::vector<tool> make_helper_tools(const helper_set& helpers);

} // namespace troupe
