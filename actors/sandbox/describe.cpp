#include "troupe/actors/sandbox/describe.hpp"

#include "troupe/config/parse_units.hpp"
#include "troupe/sandbox/workspace.hpp"

namespace troupe {

namespace {

std::string word_for(file_access access) {
  return access == file_access::read_write ? "read and write" : "read only";
}

std::string network_of(const sandbox_settings& policy) {
  const auto& network = policy.network;
  if (network.mode == "inherit" && policy.provider == "container")
    return " They have the network that their container is given.";
  if (network.mode == "inherit" || policy.provider == "unrestricted")
    return " They use the host's network.";
  if (network.mode == "external")
    return " Their only way out is a proxy, as HTTPS_PROXY says; what it lets "
           "through is not verified.";
  if (network.mode != "allowlist" || network.allow.empty())
    return " They have no network.";
  auto result = std::string{" Of the network they reach"};
  for (const auto& entry : network.allow)
    result += (&entry == network.allow.data() ? " " : ", ") + entry;
  return result + " and nothing else.";
}

} // namespace

std::string describe_policy(const sandbox_settings& policy,
                            const workspace* where) {
  if (policy.provider == "remote")
    return "Files live on another machine. Paths are relative to the root of "
           "its workspace, where commands start too; they may take "
           + format_duration(policy.limits.wall) + ".";
  if (where == nullptr)
    return "Files live in a virtual workspace in memory that is empty at "
           "first and gone after this run. Commands cannot be run.";
  auto result = std::string{
    "Files live in a workspace on disk. Paths are relative to its root"};
  if (policy.files.size() > 1)
    result += "; other directories are workspace://NAME/…";
  result += ". Access:";
  for (const auto& [name, access] : policy.files)
    result += "\n- " + name + ": " + word_for(access);
  for (const auto& name : policy.unix_sockets)
    result += "\nCommands may connect to the Unix sockets in " + name + ".";
  result += "\nCommands start in the workspace root and may take "
            + format_duration(policy.limits.wall) + "." + network_of(policy);
  return result;
}

} // namespace troupe
