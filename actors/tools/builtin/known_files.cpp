#include "troupe/actors/tools/builtin/known_files.hpp"

#include "troupe/runtime/json/json_text.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <nlohmann/json.hpp>

namespace troupe {

namespace {

std::string member_of(const std::string& canonical) {
  return "troupe.file:" + canonical;
}

} // namespace

file_precondition known_file(const tool_context& context,
                             const std::string& path) {
  auto parsed = parse_workspace_path(path);
  if (!parsed)
    return {}; // the sandbox says what is wrong with it
  auto digest = parse_json(context.state(member_of(to_string(*parsed))));
  if (!digest || !digest->is_string())
    return {};
  return {digest->get<std::string>()};
}

void remember_file(const tool_context& context, const std::string& canonical,
                   const std::string& digest) {
  context.set_state(member_of(canonical), dump_json(nlohmann::json(digest)));
}

} // namespace troupe
