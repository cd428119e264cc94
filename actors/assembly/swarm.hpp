#pragma once

#include "troupe/actors/assembly/assembly_walk.hpp"
#include "troupe/actors/tools/tool.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// The tool that members hand over with.
inline constexpr auto handoff_tool_name = "handoff";

/// A swarm that was checked, with its participants, who have their handoff
/// tools. Immutable.
struct swarm_definition {
  std::map<std::string, assembly_member> members;
  std::string start;
  uint32_t max_steps = 10;
  uint32_t max_handoff_repeats = 2;
};

/// The tool of a member that may hand over to `targets`: name -> description.
tool make_handoff_tool(const std::map<std::string, std::string>& targets);

/// Asks members, each after the one that handed over to it, until one answers.
co::task<std::string> run_swarm(workflow_context flow,
                                std::shared_ptr<const swarm_definition> swarm,
                                std::string task);

} // namespace troupe
