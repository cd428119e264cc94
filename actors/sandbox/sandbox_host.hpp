#pragma once

#include "troupe/actors/sandbox/network_report.hpp"
#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/bubblewrap_runner.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/process_runner.hpp"
#include "troupe/sandbox/process_thread.hpp"
#include "troupe/sandbox/remote/remote_sandbox.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace troupe {

class workspace;

/// Whether this release and host can enforce `policy`; `errc::sandbox` when
/// they cannot: nothing ever falls back to less.
caf::error check_sandbox(const sandbox_settings& policy);

/// How commands under `policy` are held.
containment containment_of(const sandbox_settings& policy);

/// What is run for a request under `policy`; a remote sandbox needs no `where`.
/// Error: tool (the directory).
caf::expected<process_spec> plan_command(const process_request& request,
                                         const workspace* where,
                                         const sandbox_settings& policy);

/// Whether the files of `policy` are those of a remote sandbox, not a workspace
/// of this host.
bool is_remote(const sandbox_settings& policy);

/// The error of a command that could not be run, with the layer of this host
/// that refused where that can be found out. Blocks for some milliseconds.
caf::error explain_failure(const sandbox_settings& policy, caf::error why);

/// When a host's sandboxes are tried out.
enum class trial : uint8_t {
  /// Before the first is handed out: a run learns of it before it begins.
  first,
  /// Never, for who has one command and looks into its failure.
  none,
};

/// What the sandboxes of one runtime share of this host: the thread that starts
/// processes, and what was found out about it. Each is made when it is needed
/// first. Any thread; the first call may block for some milliseconds.
class sandbox_host {
public:
  explicit sandbox_host(trial when = trial::first) : trial_(when) {
    // nop
  }

  /// What runs commands over `where` as `policy` says: the one place that knows
  /// which provider does. `network` hears of its gateways. Errors: sandbox
  /// (this host cannot enforce it), policy (it runs no commands, or a grant
  /// cannot be given), configuration.
  caf::expected<std::shared_ptr<process_runner>>
  runner_for(std::shared_ptr<const workspace> where,
             const sandbox_settings& policy, network_listener network);

  /// The remote sandbox that `policy` names. Errors: policy, configuration,
  /// sandbox.
  caf::expected<remote_sandbox> open_remote(const sandbox_settings& policy);

  /// The thread that starts processes.
  caf::expected<std::shared_ptr<process_thread>> thread();

private:
  caf::expected<std::shared_ptr<process_thread>> locked_thread();
  caf::expected<std::shared_ptr<process_runner>> unrestricted();
  caf::expected<std::shared_ptr<process_runner>>
  bubblewrap(std::shared_ptr<const workspace> where,
             const sandbox_settings& policy, network_listener network);
  caf::expected<std::shared_ptr<process_runner>>
  container(std::shared_ptr<const workspace> where,
            const sandbox_settings& policy);
  caf::expected<remote_sandbox> locked_remote(const sandbox_settings& policy);

  trial trial_;
  std::mutex mutex_;
  std::shared_ptr<process_thread> thread_;
  std::shared_ptr<process_runner> unrestricted_;
  std::optional<caf::expected<bubblewrap_host>> bubblewrap_;
};

} // namespace troupe
