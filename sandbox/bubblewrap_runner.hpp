#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/cgroup.hpp"
#include "troupe/sandbox/network/gateway_options.hpp"
#include "troupe/sandbox/process_runner.hpp"

#include "caf/expected.hpp"

#include <memory>
#include <string>

namespace troupe {

class workspace;

/// What of this host bubblewrap sandboxes are made with.
struct bubblewrap_host {
  /// Its program: a name on PATH, or a path.
  std::string bubblewrap = "bwrap";
  /// Our own; empty: found beside the running program or where it was
  /// installed.
  std::string init;
  std::string warden;
  cgroup_parents cgroups;
  /// What the gateways of allowlists are made with; the policy says what is
  /// allowed.
  gateway_options gateway;
};

/// Looks for the programs and the cgroups. Error: sandbox, with what is missing
/// and what to type.
caf::expected<bubblewrap_host> find_bubblewrap_host();

/// Runs commands in bubblewrap sandboxes over `where`, as `policy` says: one
/// that is kept warm and shared, or a fresh one for each. The first is opened
/// with the first command. `where` must stay open as long as the runner.
/// Errors: policy (a grant that cannot be given), sandbox.
caf::expected<std::shared_ptr<process_runner>>
make_bubblewrap_runner(std::shared_ptr<process_thread> thread,
                       bubblewrap_host host,
                       std::shared_ptr<const workspace> where,
                       const sandbox_settings& policy);

} // namespace troupe
