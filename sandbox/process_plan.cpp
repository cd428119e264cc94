#include "troupe/sandbox/process_plan.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/bubblewrap_plan.hpp"
#include "troupe/sandbox/container/container_plan.hpp"
#include "troupe/sandbox/path_grants.hpp"
#include "troupe/sandbox/scoped_open.hpp"
#include "troupe/sandbox/workspace.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include <unistd.h>

namespace troupe {

namespace {

using environment = std::map<std::string, std::string>;

bool is_shown(const sandbox_settings& policy, const std::string& name) {
  return policy.files.count(name) > 0 || policy.runtime_paths.count(name) > 0;
}

// "my-data" -> TROUPE_WORKSPACE_MY_DATA.
std::string variable_of(const std::string& name) {
  auto result = "TROUPE_WORKSPACE_" + name;
  for (auto& c : result) {
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
    else if (c == '-')
      c = '_';
  }
  return result;
}

std::string value_or(const environment& from, const std::string& name,
                     const std::string& otherwise) {
  auto found = from.find(name);
  return found == from.end() ? otherwise : found->second;
}

constexpr auto usual_path
  = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// In both cases: curl reads http_proxy, others HTTP_PROXY.
void add_proxy(environment& to, const network_settings& network) {
  auto url = "http://127.0.0.1:" + std::to_string(proxy_port(network));
  for (const auto* name : {"http_proxy", "HTTP_PROXY", "https_proxy",
                           "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
    to[name] = url;
  for (const auto* name : {"no_proxy", "NO_PROXY"})
    to[name] = "localhost,127.0.0.1,::1";
}

// Without these three next to nothing runs.
void add_essentials(environment& to, const workspace& where,
                    const sandbox_settings& policy, const environment& host,
                    containment how) {
  if (how == containment::container) {
    to["TMPDIR"] = "/tmp";
    return;
  }
  if (how == containment::none) {
    to["PATH"] = value_or(host, "PATH", usual_path);
    to["HOME"] = value_or(host, "HOME", "/tmp");
    to["TMPDIR"] = value_or(host, "TMPDIR", "/tmp");
  } else {
    to["PATH"] = usual_path;
    to["HOME"] = sandbox_home(where, policy);
    to["TMPDIR"] = "/tmp";
    if (policy.network.mode == "allowlist" || policy.network.mode == "external")
      add_proxy(to, policy.network);
  }
}

environment plan_environment(const workspace& where,
                             const sandbox_settings& policy,
                             const environment& host, containment how) {
  auto result = policy.inherit_environment ? host : environment{};
  add_essentials(result, where, policy, host, how);
  if (how == containment::container && policy.container)
    for (const auto& [name, value] : policy.container->env)
      result[name] = value;
  for (const auto& [name, value] : policy.environment)
    result[name] = value;
  for (const auto& [name, directory] : where.directories())
    if (is_shown(policy, name) || (name == "root" && how == containment::none))
      result[variable_of(name)] = directory.path;
  return result;
}

caf::expected<std::string>
plan_directory(const std::string& path, const workspace& where,
               const sandbox_settings& policy, containment how) {
  // A sandbox may not show the root.
  if (path.empty() && how != containment::none && !is_shown(policy, "root"))
    return "/tmp";
  auto parsed = parse_workspace_path(path);
  if (!parsed)
    return parsed.error();
  const auto* base = where.find(parsed->name);
  auto closed = !is_shown(policy, parsed->name)
                && (parsed->name != "root" || how != containment::none);
  if (base == nullptr || closed)
    return make_error(errc::tool, in_quotes(parsed->name)
                                    + " is no workspace path of commands");
  auto found = open_beneath(base->descriptor, probe_resolution(),
                            parsed->relative, O_PATH | O_DIRECTORY);
  if (!found)
    return path_error(errno, to_string(*parsed));
  if (parsed->relative.empty())
    return base->path;
  return base->path + "/" + parsed->relative;
}

// Paths as commands in a container see them.
caf::error rename_for_container(process_spec& what, const workspace& where,
                                const sandbox_settings& policy) {
  auto grants = grant_paths(where, policy);
  if (!grants)
    return std::move(grants.error());
  auto paths = container_paths(*grants);
  auto directory = what.directory;
  for (size_t i = 0; i < grants->size(); ++i) {
    const auto& one = (*grants)[i];
    what.environment[variable_of(one.name)] = paths[i];
    // Inner ones come later, and know better.
    if (is_within(directory, one.path))
      what.directory
        = paths[i] + directory.substr(one.path == "/" ? 0 : one.path.size());
  }
  what.environment.emplace("HOME", container_home(*grants));
  return {};
}

} // namespace

std::map<std::string, std::string> host_environment() {
  auto result = environment{};
  for (auto** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    auto text = std::string_view{*entry};
    auto equals = text.find('=');
    if (equals != std::string_view::npos && equals > 0)
      result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

caf::expected<process_spec>
plan_process(const process_request& request, const workspace& where,
             const sandbox_settings& policy,
             const std::map<std::string, std::string>& host, containment how) {
  auto directory = plan_directory(request.directory, where, policy, how);
  if (!directory)
    return directory.error();
  auto result = process_spec{};
  result.argv = request.argv;
  result.directory = std::move(*directory);
  result.environment = plan_environment(where, policy, host, how);
  result.stdin_text = request.stdin_text;
  // A request may shorten the limit, never lengthen it.
  result.wall = request.timeout > caf::timespan{0}
                  ? std::min(request.timeout, policy.limits.wall)
                  : policy.limits.wall;
  result.output = policy.limits.output;
  if (how != containment::none) {
    result.cpu = policy.limits.cpu;
    result.open_files = policy.limits.open_files;
    result.file = policy.limits.file;
  }
  if (how == containment::container)
    if (auto failed = rename_for_container(result, where, policy))
      return failed;
  return result;
}

std::string sandbox_home(const workspace& where,
                         const sandbox_settings& policy) {
  const auto* home = where.find("home");
  auto access = file_access::read_only;
  for (const auto* shown : {&policy.files, &policy.runtime_paths})
    if (auto found = shown->find("home"); found != shown->end())
      access = std::max(access, found->second);
  if (home != nullptr && access == file_access::read_write)
    return home->path;
  return policy.root_filesystem == "read_write" ? "/tmp" : "/tmp/home";
}

} // namespace troupe
