#include "troupe/config/load_agent.hpp"

#include "troupe/config/definition_loader.hpp"
#include "troupe/config/layers.hpp"
#include "troupe/config/settings_reader.hpp"
#include "troupe/config/validate_settings.hpp"

#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

namespace troupe {

namespace {

/// The agent among what a text defines.
caf::expected<agent_settings> agent_in(const yaml_node& root,
                                       const std::string& file,
                                       const environment_map& environment) {
  auto loader = definition_loader{environment};
  auto found = loader.load(root, file);
  if (auto why = loader.error())
    return why;
  if (const auto* agent = std::get_if<agent_settings>(&found->what))
    return *agent;
  return make_error(errc::configuration,
                    "defines a "
                      + std::get<assembly_settings>(found->what).kind()
                      + ", not an agent",
                    where(root));
}

} // namespace

caf::expected<agent_settings>
load_agent_file(const std::string& path, const environment_map& environment) {
  auto root = parse_yaml_file(path);
  if (!root)
    return std::move(root.error());
  return agent_in(*root, path, environment);
}

caf::expected<agent_settings>
parse_agent(std::string_view text, const std::string& name,
            const std::string& folder, const environment_map& environment) {
  auto root = parse_yaml(text, {name, folder, false});
  if (!root)
    return std::move(root.error());
  return agent_in(*root, {}, environment);
}

caf::expected<std::shared_ptr<const definition_settings>>
load_definition_file(const std::string& path,
                     const environment_map& environment) {
  auto root = parse_yaml_file(path);
  if (!root)
    return std::move(root.error());
  auto loader = definition_loader{environment};
  auto found = loader.load(*root, path);
  if (auto why = loader.error())
    return why;
  return found;
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
