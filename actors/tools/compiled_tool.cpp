#include "troupe/actors/tools/compiled_tool.hpp"

#include "troupe/config/errc.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace troupe {

namespace {

// What every provider takes as a function's name.
bool is_tool_name(const std::string& name) {
  auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 64
         && std::all_of(name.begin(), name.end(), fits);
}

caf::error about(const tool_spec& spec, const std::string& message) {
  return make_error(errc::configuration,
                    "the tool \"" + spec.name + "\" " + message);
}

} // namespace

caf::expected<std::vector<compiled_tool>>
compile_tools(const std::vector<tool>& tools) {
  auto result = std::vector<compiled_tool>{};
  for (const auto& one : tools) {
    const auto& spec = one.spec();
    if (!is_tool_name(spec.name))
      return about(spec, "has no valid name: 1 to 64 of A-Z a-z 0-9 _ -");
    auto has_name = [&](const compiled_tool& x) {
      return x.description.name == spec.name;
    };
    if (std::any_of(result.begin(), result.end(), has_name))
      return about(spec, "is there twice");
    auto schema = json_schema::compile(spec.parameters);
    if (!schema)
      return about(spec,
                   "has no valid schema: " + to_fault(schema.error()).message);
    result.push_back(
      {one, std::make_shared<const json_schema>(std::move(*schema)),
       tool_description{spec.name, spec.description, spec.parameters}});
  }
  return result;
}

} // namespace troupe
