#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/bubblewrap_runner.hpp"
#include "troupe/sandbox/process_thread.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// What one kind of sandbox can do on this host.
struct backend_report {
  std::string backend;
  bool available = false;
  /// Why it is not, or what to know of it; may be empty.
  std::string reason;
  /// What to type; may be empty.
  std::string remedy;
  /// Of filesystem_read, filesystem_write, filesystem_list, process_spawn,
  /// pty, network_none, network_allowlist,
  /// network_external (never verified), unix_sockets.
  std::vector<std::string> features;
  std::vector<std::string> network_modes;
  /// none | memory | namespace | container | remote.
  std::string isolation;
  /// How the limits of memory and of processes are kept: memory by
  /// "cgroup v2", "cgroup v1", "sampled" or "none", processes by "cgroup",
  /// "rlimit" or "none".
  std::string memory_limit;
  std::string process_limit;
};

/// The names that `probe_backend` knows.
std::vector<std::string> backend_names();

/// Tries a backend out, by opening a sandbox and running a command in it; a
/// container only where `policy` names an image: otherwise its engine is asked
/// for its version. Blocks for some milliseconds, with containers for a second.
/// Error: configuration (no such backend).
caf::expected<backend_report>
probe_backend(const std::string& name, std::shared_ptr<process_thread> thread,
              const sandbox_settings& policy = {});

/// Whether bubblewrap sandboxes can be opened on `host` with all that they
/// need; the error, of kind sandbox, names the layer that refused. Blocks for
/// some milliseconds.
caf::error probe_bubblewrap(std::shared_ptr<process_thread> thread,
                            const bubblewrap_host& host);

/// One way out of a sandbox that was tried.
struct escape_trial {
  /// "write to the system".
  std::string what;
  bool contained = false;
};

/// Tries the essential ways out of a bubblewrap sandbox on `host`, in one whose
/// policy is the default. Blocks for some tens of milliseconds. Error: sandbox,
/// when none can be opened.
caf::expected<std::vector<escape_trial>>
try_escapes(std::shared_ptr<process_thread> thread,
            const bubblewrap_host& host);

} // namespace troupe
