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

/// What `unrestricted` runs for a request: the real directory, the time, and
/// the environment: TROUPE_WORKSPACE_ROOT and TROUPE_WORKSPACE_<NAME> for what
/// the policy shows to processes, PATH, HOME and TMPDIR of `host`, all of it
/// when the policy inherits, and what the policy sets. Errors: tool (the
/// directory), policy (a path that is closed).
caf::expected<process_spec>
plan_process(const process_request& request, const workspace& where,
             const sandbox_settings& policy,
             const std::map<std::string, std::string>& host);

} // namespace troupe
