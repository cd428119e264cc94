#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/process_runner.hpp"

#include "caf/expected.hpp"

#include <map>
#include <string>

namespace troupe {

class workspace;

/// The environment of this process, by name.
std::map<std::string, std::string> host_environment();

/// How a command is held.
enum class containment : uint8_t {
  /// It is a process of this host (`unrestricted`).
  none,
  /// It is in a sandbox of its own file system.
  sandbox,
  /// So it is, and that is an image: paths have other names there.
  container,
};

/// What is run for a request: the real directory, the limits, and the
/// environment, which is what the policy sets and TROUPE_WORKSPACE_ROOT and
/// TROUPE_WORKSPACE_<NAME> for what the policy shows to processes, besides
/// PATH, HOME and TMPDIR: those of `host`, or in a sandbox its own; in a
/// container PATH is the image's. All of
/// `host` too when the policy inherits. Errors: tool (the directory), policy (a
/// path that is closed).
caf::expected<process_spec>
plan_process(const process_request& request, const workspace& where,
             const sandbox_settings& policy,
             const std::map<std::string, std::string>& host, containment how);

/// HOME in a sandbox: the workspace path "home" where the policy lets processes
/// write it, or a folder that is gone with the sandbox.
std::string sandbox_home(const workspace& where,
                         const sandbox_settings& policy);

} // namespace troupe
