#include "troupe/actors/sandbox/describe.hpp"

#include "troupe/config/parse_units.hpp"
#include "troupe/sandbox/workspace.hpp"

namespace troupe {

namespace {

std::string word_for(file_access access) {
  return access == file_access::read_write ? "read and write" : "read only";
}

} // namespace

std::string describe_policy(const sandbox_settings& policy,
                            const workspace* where) {
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
            + format_duration(policy.limits.wall) + ".";
  return result;
}

} // namespace troupe
