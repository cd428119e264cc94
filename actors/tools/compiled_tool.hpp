#pragma once

#include "troupe/actors/tools/tool.hpp"
#include "troupe/runtime/json/json_schema.hpp"
#include "troupe/runtime/messages/model_messages.hpp"

#include "caf/expected.hpp"

#include <memory>
#include <vector>

namespace troupe {

/// A tool that was checked: what it does, and what its arguments must be.
struct compiled_tool {
  tool definition;
  std::shared_ptr<const json_schema> schema;
  tool_description description;
};

/// Checks `tools` for use together. `errc::configuration` names the one whose
/// name is none, occurs twice or whose schema is not valid.
caf::expected<std::vector<compiled_tool>>
compile_tools(const std::vector<tool>& tools);

} // namespace troupe
