#include "troupe/config/load_agent.hpp"

#include "troupe/config/layers.hpp"
#include "troupe/config/settings_reader.hpp"
#include "troupe/config/text_file.hpp"
#include "troupe/config/validate_settings.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

namespace troupe {

namespace {

constexpr auto kinds = std::array<std::string_view, 4>{"agent", "graph",
                                                       "workflow", "swarm"};

constexpr size_t max_template = 1u << 20;

void read_template(const yaml_value& place, agent_settings& x) {
  // Beside the agent, or where the program works.
  auto failed = std::error_code{};
  auto written = place.text().value_or("");
  if (!std::filesystem::exists(x.system_template, failed)
      && std::filesystem::exists(written, failed))
    x.system_template = std::move(written);
  auto text = read_text_file(x.system_template, max_template);
  if (text && !find_bad_utf8(*text))
    x.system_prompt = std::move(*text);
  else
    place.fail(quote(x.system_template) + ": "
               + (text ? "not UTF-8 text" : to_fault(text.error()).message));
}

void check_prompt(yaml_fields fields, agent_settings& x) {
  auto place = fields.get("system_template");
  if (place && fields.get("system_prompt"))
    place.fail("stands beside system_prompt", "keep one of the two");
  else if (!x.system_template.empty())
    read_template(place, x);
}

caf::expected<agent_settings> read_agent(const yaml_node& root,
                                         const environment_map& environment) {
  auto reader = yaml_reader{lookup_in(environment)};
  auto place = reader.root(root);
  auto result = agent_settings{};
  settings_reader::read(place, result);
  result.folder = place.folder();
  check_prompt(place.fields(), result);
  report_issues(find_issues(result), reader, places_of(root));
  if (auto why = reader.error())
    return why;
  return result;
}

} // namespace

std::string to_string(definition_kind kind) {
  return std::string{kinds[static_cast<size_t>(kind)]};
}

caf::expected<agent_settings>
load_agent_file(const std::string& path, const environment_map& environment) {
  auto root = parse_yaml_file(path);
  if (!root)
    return std::move(root.error());
  auto result = read_agent(*root, environment);
  if (result)
    result->source = path;
  return result;
}

caf::expected<agent_settings>
parse_agent(std::string_view text, const std::string& name,
            const std::string& folder, const environment_map& environment) {
  auto root = parse_yaml(text, {name, folder, false});
  if (!root)
    return std::move(root.error());
  return read_agent(*root, environment);
}

caf::expected<definition_kind> kind_of_definition(const std::string& path) {
  auto root = parse_yaml_file(path);
  if (!root)
    return std::move(root.error());
  auto result = std::optional<definition_kind>{};
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (!find_member(*root, kinds[i]))
      continue;
    if (result)
      return make_error(errc::configuration,
                        "has both the key " + to_string(*result)
                          + " and the key " + std::string{kinds[i]},
                        where(*root));
    result = static_cast<definition_kind>(i);
  }
  if (result)
    return *result;
  return make_error(errc::configuration,
                    "has none of the keys agent, graph, workflow and swarm",
                    where(*root), "name what the file defines");
}

std::string place_in_agent(const agent_settings& x, const std::string& path) {
  if (x.source.empty())
    return "agent " + x.name;
  auto root = parse_yaml_file(x.source);
  if (!root)
    return x.source;
  auto bracket = path.find('[');
  const auto* node = find_member(*root, path.substr(0, bracket));
  if (node == nullptr)
    return x.source;
  if (bracket == std::string::npos)
    return where(*node);
  auto index = std::strtoul(path.c_str() + bracket + 1, nullptr, 10);
  return where(index < node->items.size() ? node->items[index] : *node);
}

caf::expected<sandbox_settings>
load_sandbox_file(const std::string& path, const environment_map& environment) {
  auto root = parse_yaml_file(path);
  if (!root)
    return std::move(root.error());
  auto reader = yaml_reader{lookup_in(environment)};
  auto result = sandbox_settings{};
  settings_reader::read(reader.root(*root), result);
  report_issues(find_issues(result), reader, places_of(*root));
  if (auto why = reader.error())
    return why;
  return result;
}

} // namespace troupe
