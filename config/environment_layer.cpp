#include "troupe/config/environment_layer.hpp"

#include "troupe/config/layers.hpp"
#include "troupe/config/setting_keys.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

constexpr auto prefix = std::string_view{"TROUPE_"};

// Set in a sandbox for named paths of the workspace; not ours to warn about.
constexpr auto sandbox_prefix = std::string_view{"TROUPE_WORKSPACE_"};

// `std::toupper` and `std::tolower` ask the locale.
char to_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::vector<std::string> split(std::string_view text, std::string_view mark) {
  auto result = std::vector<std::string>{};
  while (true) {
    auto end = text.find(mark);
    result.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return result;
    text.remove_prefix(end + mark.size());
  }
}

std::string join(const std::vector<std::string>& parts) {
  auto result = std::string{};
  for (const auto& part : parts)
    result += (result.empty() ? "" : ".") + part;
  return result;
}

// "limits.max_turns" -> "LIMITS_MAX_TURNS".
std::string flat_name(std::string_view path) {
  auto result = std::string{};
  for (auto c : path)
    result += c == '.' ? '_' : to_upper(c);
  return result;
}

bool fits(const std::vector<std::string>& parts, std::string_view pattern) {
  auto wanted = split(pattern, ".");
  return std::equal(parts.begin(), parts.end(), wanted.begin(), wanted.end(),
                    [](const auto& part, const auto& want) {
                      return part == want || (want == "*" && !part.empty());
                    });
}

// The key path that the variable TROUPE_`name` sets.
std::optional<std::string> path_for(std::string_view name,
                                    const std::vector<setting_key>& keys) {
  auto lower = std::string{};
  for (auto c : name)
    lower += to_lower(c);
  auto parts = split(lower, "__");
  for (const auto& [path, is_scalar] : keys) {
    if (!is_scalar)
      continue;
    if (flat_name(path) == name)
      return path;
    if (fits(parts, path))
      return join(parts);
  }
  return std::nullopt;
}

} // namespace

environment_map process_environment() {
  auto result = environment_map{};
  for (auto** i = environ; i && *i; ++i) {
    auto entry = std::string_view{*i};
    auto equals = entry.find('=');
    if (equals != std::string_view::npos)
      result.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return result;
}

variable_lookup lookup_in(const environment_map& environment) {
  return [&environment](std::string_view name) -> std::optional<std::string> {
    auto i = environment.find(name);
    if (i == environment.end())
      return std::nullopt;
    return i->second;
  };
}

environment_layer layer_of(const environment_map& environment,
                           const std::string& folder) {
  auto result = environment_layer{};
  auto source_of = [&](const std::string& name) {
    auto text = name.empty() ? name : "environment " + name;
    return std::make_shared<const yaml_source>(yaml_source{text, folder, true});
  };
  auto warn = [&](const std::string& name, std::string message) {
    auto& what = result.warnings.emplace_back();
    what.kind = errc::configuration;
    what.message = std::move(message);
    what.where = "environment " + name;
  };
  result.root = make_mapping(source_of({}));
  auto keys = setting_keys();
  for (auto i = environment.lower_bound(prefix);
       i != environment.end() && i->first.starts_with(prefix); ++i) {
    const auto& [name, value] = *i;
    auto path = path_for(std::string_view{name}.substr(prefix.size()), keys);
    if (path) {
      if (!put_at(result.root, *path, make_scalar(value, source_of(name))))
        warn(name, "another variable sets what is above " + *path);
    } else if (!name.starts_with(sandbox_prefix)) {
      warn(name, "no setting has this name");
    }
  }
  return result;
}

} // namespace troupe
