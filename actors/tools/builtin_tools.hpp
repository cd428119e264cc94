#pragma once

#include "troupe/actors/tools/tool.hpp"

#include "caf/expected.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The tools of contract section 3, in the order of its table.
const std::vector<tool>& builtin_tools();

/// The one called `name`. `errc::configuration`, with the nearest name, when
/// there is none.
caf::expected<tool> builtin_tool(const std::string& name);

} // namespace troupe
