#include "troupe/runtime/permission/permission_decision.hpp"

#include "troupe/runtime/json/json_text.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace troupe {

namespace {

bool is_reading(std::string_view capability) {
  return capability == "read" || capability == "glob";
}

bool is_named(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// `*` stands for any characters, slashes included, `?` for one; a rule that
/// asks too often is better than one that is slipped past by a directory.
/// Linear in `text` for each `*`: the last star is where it goes on.
bool matches(std::string_view pattern, std::string_view text) {
  auto p = size_t{0};
  auto t = size_t{0};
  auto star = std::string_view::npos;
  auto resume = size_t{0};
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size()
               && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

using pattern_map = std::map<std::string, std::vector<std::string>>;

/// Without patterns for the capability everything is asked; with some, what
/// matches none is free.
permission_rule narrowed(const pattern_map& patterns,
                         std::string_view capability,
                         std::string_view subject) {
  auto found = patterns.find(std::string{capability});
  if (found == patterns.end())
    return permission_rule::ask;
  auto hit = [&](const std::string& x) { return matches(x, subject); };
  return std::any_of(found->second.begin(), found->second.end(), hit)
           ? permission_rule::ask
           : permission_rule::allow;
}

/// One spelling for one file, or "./protected/x" would slip past a pattern. A
/// path that is none is refused by the tool later.
std::string canonical(const std::string& path) {
  auto parsed = parse_workspace_path(path);
  return parsed ? to_string(*parsed) : path;
}

constexpr auto known = std::array<std::string_view, 6>{"read",  "glob",
                                                       "write", "shell",
                                                       "fetch", "search"};

} // namespace

permission_rule decide_permission(const permission_settings& rules,
                                  std::string_view capability,
                                  std::string_view subject) {
  if (capability.empty() || is_named(rules.allow, capability))
    return permission_rule::allow;
  if (rules.mode == permission_mode::auto_allow)
    return permission_rule::allow;
  if (std::find(known.begin(), known.end(), capability) == known.end())
    return permission_rule::deny;
  auto patterns = rules.mode == permission_mode::approve ? rules.approve_when
                                                         : rules.ask_when;
  if (is_reading(capability) && !patterns.contains(std::string{capability}))
    return permission_rule::allow;
  if (rules.mode == permission_mode::read_only)
    return is_reading(capability) ? permission_rule::allow
                                  : permission_rule::deny;
  return narrowed(patterns, capability, subject);
}

bool can_be_allowed(const permission_settings& rules,
                    std::string_view capability) {
  return rules.mode != permission_mode::read_only
         || decide_permission(rules, capability, {}) == permission_rule::allow;
}

std::string permission_subject(std::string_view arguments) {
  auto value = parse_object(arguments);
  if (!value)
    return {};
  auto path = value->find("path");
  if (path != value->end() && path->is_string())
    return canonical(path->get<std::string>());
  for (const auto* key : {"command", "url", "query", "pattern"}) {
    auto found = value->find(key);
    if (found != value->end() && found->is_string())
      return found->get<std::string>();
  }
  auto argv = value->find("argv");
  auto result = std::string{};
  if (argv != value->end() && argv->is_array())
    for (const auto& word : *argv)
      if (word.is_string())
        result += (result.empty() ? "" : " ") + word.get<std::string>();
  return result;
}

} // namespace troupe
