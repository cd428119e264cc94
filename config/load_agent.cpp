#include "troupe/config/load_agent.hpp"

#include "troupe/config/definition_loader.hpp"
#include "troupe/config/layers.hpp"
#include "troupe/config/settings_reader.hpp"
#include "troupe/config/validate_settings.hpp"

#include <algorithm>
#include <charconv>
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
  auto read = read_definition_file(path, environment);
  if (read.wrong)
    return std::move(read.wrong);
  return std::move(read.found);
}

read_definition read_definition_file(const std::string& path,
                                     const environment_map& environment) {
  auto root = parse_yaml_file(path);
  if (!root)
    return {nullptr, std::move(root.error())};
  auto loader = definition_loader{environment};
  auto found = loader.load(*root, path);
  return {std::move(found), loader.error()};
}

std::string place_in_file(const std::string& file, const std::string& path) {
  auto root = parse_yaml_file(file);
  if (!root)
    return file;
  const auto* at = &*root;
  auto rest = std::string_view{path};
  while (!rest.empty()) {
    const yaml_node* next = nullptr;
    if (rest.front() == '[') {
      auto index = size_t{0};
      std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
      next = index < at->items.size() ? &at->items[index] : nullptr;
      rest.remove_prefix(std::min(rest.size() - 1, rest.find(']')) + 1);
    } else {
      auto end = std::min(rest.size(), rest.find_first_of(".["));
      next = find_member(*at, rest.substr(0, end));
      rest.remove_prefix(end);
    }
    if (rest.starts_with('.'))
      rest.remove_prefix(1);
    if (next == nullptr)
      break;
    at = next;
  }
  return at == &*root ? file : where(*at);
}

std::string place_in_agent(const agent_settings& x, const std::string& path) {
  if (x.source.empty())
    return "agent " + x.name;
  return place_in_file(x.source, join_paths(x.path, path));
}

std::string join_paths(const std::string& x, const std::string& y) {
  auto needs_dot = !x.empty() && !y.empty() && y.front() != '[';
  return x + (needs_dot ? "." : "") + y;
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
