#pragma once

#include "troupe/actors/tools/compiled_tool.hpp"
#include "troupe/actors/workflow/participant.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace troupe {

/// Who works for an agent, and how. Immutable.
struct helper_kind {
  participant who;
  /// Looked up when it is needed, where `who` holds no definition: agents may
  /// name each other in any order, and themselves.
  std::string named;
  std::string description;
  /// Of this kind that are there at once; an assembly as a tool has no such
  /// limit.
  uint32_t max = 4;
};

/// All who work for an agent, and the tools that it orders them with.
struct helper_set {
  /// Agents that can be spoken to, by their kinds.
  std::map<std::string, helper_kind> kinds;
  /// Assemblies, and agents, that are each a tool, by its name.
  std::map<std::string, helper_kind> by_tool;
  std::vector<compiled_tool> tools;
};

} // namespace troupe
