#pragma once

#include "troupe/sandbox/bubblewrap_runner.hpp"
#include "troupe/sandbox/process_runner.hpp"
#include "troupe/sandbox/process_thread.hpp"

#include "caf/expected.hpp"

#include <memory>
#include <mutex>
#include <optional>

namespace troupe {

class workspace;

/// What the sandboxes of one runtime share of this host: the thread that starts
/// processes, and what was found out about it. Each is made when it is needed
/// first. Any thread; the first call may block for some milliseconds.
class sandbox_host {
public:
  /// Runs commands without containment.
  caf::expected<std::shared_ptr<process_runner>> unrestricted();

  /// A runner of commands in sandboxes of their own over `where`. Errors:
  /// sandbox (this host cannot enforce it), policy.
  caf::expected<std::shared_ptr<process_runner>>
  bubblewrap(std::shared_ptr<const workspace> where,
             const sandbox_settings& policy);

  /// The thread that starts processes.
  caf::expected<std::shared_ptr<process_thread>> thread();

private:
  caf::expected<std::shared_ptr<process_thread>> locked_thread();

  std::mutex mutex_;
  std::shared_ptr<process_thread> thread_;
  std::shared_ptr<process_runner> unrestricted_;
  std::optional<caf::expected<bubblewrap_host>> bubblewrap_;
};

} // namespace troupe
