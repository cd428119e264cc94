#include "troupe/actors/tools/builtin_tools.hpp"

#include "troupe/actors/tools/builtin/file_tools.hpp"
#include "troupe/actors/tools/builtin/shell_tool.hpp"
#include "troupe/actors/tools/builtin/todo_tool.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/config/nearest_name.hpp"

namespace troupe {

namespace {

std::vector<tool> all_tools() {
  auto result = reading_tools();
  for (auto& one : writing_tools())
    result.push_back(std::move(one));
  result.push_back(shell_tool());
  result.push_back(todo_tool());
  return result;
}

} // namespace

const std::vector<tool>& builtin_tools() {
  static const auto result = all_tools();
  return result;
}

caf::expected<tool> builtin_tool(const std::string& name) {
  auto names = std::vector<std::string>{};
  for (const auto& one : builtin_tools()) {
    if (one.spec().name == name)
      return one;
    names.push_back(one.spec().name);
  }
  if (name == "fetch" || name == "web_search")
    return make_error(errc::configuration,
                      "the tool \"" + name
                        + "\" is not available in this release");
  auto hint = std::string{};
  if (auto near = nearest_name(name, names))
    hint = "did you mean \"" + *near + "\"?";
  return make_error(errc::configuration, "there is no tool \"" + name + "\"",
                    {}, std::move(hint));
}

} // namespace troupe
