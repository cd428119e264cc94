#pragma once

#include "troupe/actors/tools/compiled_tool.hpp"
#include "troupe/runtime/run/result_form.hpp"

#include "caf/expected.hpp"

#include <string>

namespace troupe {

/// How an agent gives a result that is checked: its form, and the tool that a
/// model calls with it where it has to.
struct result_definition {
  result_form form;
  compiled_tool tool;
};

/// Compiles a result schema. `errc::configuration` where it is none.
caf::expected<result_definition> define_result(const std::string& schema_json);

} // namespace troupe
