#include "troupe/sandbox/sandbox_scope.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

using named_paths = std::map<std::string, file_access>;

caf::error wider(const std::string& what, const std::string& where) {
  return make_error(errc::policy, "a scope cannot be wider: " + what, where,
                    "ask for no more than the sandbox it is of allows");
}

caf::error narrow_paths(named_paths& held, const std::optional<named_paths>& to,
                        const std::string& where) {
  if (!to)
    return {};
  for (const auto& [name, access] : *to) {
    auto found = held.find(name);
    if (found == held.end())
      return wider("the path " + in_quotes(name) + " is not in it", where);
    if (access > found->second)
      return wider(in_quotes(name) + " is read-only", where + "." + name);
  }
  held = *to;
  return {};
}

// "*.example.com:443" covers "a.example.com:443" and "*.b.example.com:443", and
// not "example.com:443".
bool covers(const std::string& entry, const std::string& asked) {
  if (entry == asked)
    return true;
  return entry.starts_with("*.") && asked.size() > entry.size() - 1
         && asked.ends_with(entry.substr(1));
}

caf::error narrow_network(network_settings& held,
                          const std::optional<network_settings>& to) {
  if (!to || to->mode == "none") {
    if (to)
      held = *to;
    return {};
  }
  if (held.mode == "none" || (to->mode == "inherit" && held.mode != "inherit"))
    return wider("the network is " + held.mode, "network.mode");
  // What an external gateway lets through, nobody here can compare.
  auto stays = to->mode == held.mode && to->gateway == held.gateway;
  if ((held.mode == "external" || to->mode == "external") && !stays
      && held.mode != "inherit")
    return wider("the gateway is another one", "network.gateway");
  // Every allowlist is less than the host's own network.
  if (held.mode == "allowlist") {
    if (to->allow_private && !held.allow_private)
      return wider("private addresses are refused", "network.private");
    for (const auto& asked : to->allow)
      if (std::none_of(held.allow.begin(), held.allow.end(),
                       [&](const auto& entry) { return covers(entry, asked); }))
        return wider(in_quotes(asked) + " is not allowed", "network.allow");
  }
  held = *to;
  return {};
}

/// One number of the limits, and what it is called.
template <class T>
caf::error narrow_limit(T& held, const T& to, const char* name) {
  if (to > held)
    return wider(std::string{"the limit "} + name + " is lower", "limits");
  held = to;
  return {};
}

caf::error narrow_limits(sandbox_limits& held,
                         const std::optional<sandbox_limits>& to) {
  if (!to)
    return {};
  auto result = narrow_limit(held.wall, to->wall, "wall");
  auto then = [&result](caf::error next) {
    if (!result)
      result = std::move(next);
  };
  then(narrow_limit(held.cpu, to->cpu, "cpu"));
  then(narrow_limit(held.memory, to->memory, "memory"));
  then(narrow_limit(held.processes, to->processes, "processes"));
  then(narrow_limit(held.open_files, to->open_files, "open_files"));
  then(narrow_limit(held.file, to->file, "file"));
  then(narrow_limit(held.tmp, to->tmp, "tmp"));
  then(narrow_limit(held.output, to->output, "output"));
  then(narrow_limit(held.read, to->read, "read"));
  then(narrow_limit(held.write, to->write, "write"));
  then(narrow_limit(held.list, to->list, "list"));
  return result;
}

caf::error
narrow_capabilities(std::set<sandbox_capability>& held,
                    const std::optional<std::set<sandbox_capability>>& to) {
  if (!to)
    return {};
  for (auto one : *to)
    if (held.count(one) == 0)
      return wider(to_string(one) + " was removed", "capabilities");
  held = *to;
  return {};
}

// "unrestricted" holds nothing back that it could be made to.
caf::error check_enforced(const sandbox_authority& held,
                          const sandbox_authority& asked) {
  const auto& provider = asked.policy.provider;
  if (provider != "unrestricted" && provider != "local")
    return {};
  auto runs = asked.may(sandbox_capability::process_run);
  if (runs && !asked.may(sandbox_capability::process_spawn))
    return make_error(errc::sandbox,
                      "the unrestricted sandbox cannot keep a command from "
                      "starting processes",
                      "capabilities", "use native");
  if (runs && asked.policy.network.mode != held.policy.network.mode)
    return make_error(errc::sandbox,
                      "the unrestricted sandbox cannot take the network away",
                      "network", "use native");
  return {};
}

} // namespace

bool supports(const sandbox_settings& policy, sandbox_capability x) {
  auto is_virtual = policy.provider == "virtual";
  auto is_writable = [](const auto& path) {
    return path.second == file_access::read_write;
  };
  switch (x) {
    case sandbox_capability::filesystem_read:
    case sandbox_capability::filesystem_list:
      return is_virtual || !policy.files.empty();
    case sandbox_capability::filesystem_write:
      return is_virtual
             || std::any_of(policy.files.begin(), policy.files.end(),
                            is_writable);
    case sandbox_capability::process_run:
    case sandbox_capability::process_spawn:
      return !is_virtual;
  }
  return false;
}

std::string to_string(sandbox_capability x) {
  switch (x) {
    case sandbox_capability::filesystem_read:
      return "filesystem_read";
    case sandbox_capability::filesystem_list:
      return "filesystem_list";
    case sandbox_capability::filesystem_write:
      return "filesystem_write";
    case sandbox_capability::process_run:
      return "process_run";
    case sandbox_capability::process_spawn:
      return "process_spawn";
  }
  return "?";
}

caf::expected<sandbox_authority> narrow(const sandbox_authority& held,
                                        const sandbox_scope& scope) {
  auto result = held;
  auto& policy = result.policy;
  if (auto why = narrow_paths(policy.files, scope.files, "files"))
    return why;
  if (auto why = narrow_paths(policy.runtime_paths, scope.runtime_paths,
                              "runtime_paths"))
    return why;
  std::erase_if(policy.unix_sockets, [&policy](const auto& name) {
    return policy.files.count(name) == 0
           && policy.runtime_paths.count(name) == 0;
  });
  if (auto why = narrow_network(policy.network, scope.network))
    return why;
  if (auto why = narrow_limits(policy.limits, scope.limits))
    return why;
  if (auto why = narrow_capabilities(result.capabilities, scope.capabilities))
    return why;
  if (auto why = check_enforced(held, result))
    return why;
  return result;
}

} // namespace troupe
