#include "troupe/sandbox/instructions.hpp"

#include "troupe/config/parse_units.hpp"

#include <map>

namespace troupe {

namespace {

using access_list = std::map<std::string, file_access>;

bool is_unrestricted(const sandbox_settings& policy) {
  return policy.provider == "unrestricted" || policy.provider == "local";
}

std::string listed(const access_list& paths) {
  auto result = std::string{};
  for (const auto& [name, access] : paths)
    result += "\n- " + name + ": "
              + (access == file_access::read_write ? "read and write"
                                                   : "read only");
  return result;
}

std::string on_files(const sandbox_settings& policy) {
  auto result = std::string{"Files live in a workspace on disk. Paths are "
                            "relative to its root"};
  if (policy.files.size() > 1)
    result += "; other directories are workspace://NAME/…";
  return result + ". Access:" + listed(policy.files);
}

// What else a command sees than the workspace.
std::string on_surroundings(const sandbox_settings& policy) {
  if (is_unrestricted(policy))
    return "Commands run on this computer, with all that its user may do.";
  if (policy.provider == "container")
    return "Commands run in a container, where the workspace root is "
           "/workspace.";
  auto tmp = " and a /tmp of " + format_size(policy.limits.tmp) + ".";
  if (policy.root_filesystem == "isolated")
    return "Commands run in a sandbox: of this computer they see these "
           "directories and its programs,"
           + tmp;
  return "Commands run in a sandbox: they see these directories, the files of "
         "this computer"
         + std::string{policy.root_filesystem == "read_only" ? " read-only,"
                                                             : ","}
         + tmp;
}

std::string on_network(const sandbox_settings& policy) {
  const auto& network = policy.network;
  if (network.mode == "inherit" && policy.provider == "container")
    return "They have the network that their container is given.";
  if (is_unrestricted(policy) || network.mode == "inherit")
    return "They use the network of this computer.";
  if (network.mode == "external")
    return "Their only way out is a proxy, as HTTPS_PROXY says; what it lets "
           "through is not verified.";
  if (network.mode == "none" || network.allow.empty())
    return "They have no network.";
  auto result = std::string{"They reach these destinations and no other:"};
  for (const auto& one : network.allow)
    result += " " + one;
  return result + ".";
}

std::string on_limits(const sandbox_settings& policy) {
  auto result = "Each starts in the workspace root and may take "
                + format_duration(policy.limits.wall);
  if (!is_unrestricted(policy))
    result += ", " + format_size(policy.limits.memory) + " of memory and "
              + std::to_string(policy.limits.processes) + " processes";
  return result + ".";
}

std::string on_commands(const sandbox_authority& held) {
  const auto& policy = held.policy;
  auto result = on_surroundings(policy);
  if (!policy.runtime_paths.empty())
    result += " They alone see, at $TROUPE_WORKSPACE_<NAME>:"
              + listed(policy.runtime_paths) + "\n";
  else
    result += " ";
  for (const auto& name : policy.unix_sockets)
    result += "They may connect to the Unix sockets in " + name + ". ";
  result += on_limits(policy);
  if (!held.may(sandbox_capability::process_spawn))
    result += " None can start another process.";
  return result + " " + on_network(policy);
}

} // namespace

std::string instructions(const sandbox_authority& held) {
  if (held.policy.provider == "virtual")
    return "Files live in a virtual workspace in memory that is empty at "
           "first and gone after this run. Commands cannot be run.";
  if (held.policy.provider == "remote")
    return "Files live on another machine. Paths are relative to the root of "
           "its workspace, where commands start too; they may take "
           + format_duration(held.policy.limits.wall) + ".";
  auto result = on_files(held.policy) + "\n";
  if (held.may(sandbox_capability::process_run))
    return result + on_commands(held);
  return result + "Commands cannot be run.";
}

} // namespace troupe
