#pragma once

#include "troupe/sandbox/process_spec.hpp"
#include "troupe/sandbox/process_thread.hpp"
#include "troupe/sandbox/sandbox_requests.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// Called once, on the runner's thread, when the command and everything it
/// started is gone. Must not throw. Errors: tool (the command cannot be
/// started: a sentence for the model), sandbox (the host failed).
using process_done = std::function<void(caf::expected<process_result>)>;

/// Runs commands and guarantees one thing, wherever they run: a command's whole
/// tree of processes is gone before its end is reported, and when this program
/// dies, however it dies. All calls are thread-safe.
class process_runner {
public:
  using process_id = uint64_t;

  process_runner() = default;
  process_runner(const process_runner&) = delete;
  process_runner& operator=(const process_runner&) = delete;

  /// Kills what still runs and waits until it is gone. When the last owner
  /// lets go within `done`, only the waiting is left out.
  virtual ~process_runner();

  /// Starts a command; `done` is called exactly once, also when it cannot be
  /// started.
  virtual process_id start(process_spec spec, process_done done) = 0;

  /// Sends a signal (1 to 64) to the command and what it started in its process
  /// group. Harmless when it has ended or has not begun.
  virtual void signal(process_id id, int number) = 0;

  /// Ends a command's tree: TERM, the grace, then KILL. Harmless when it has
  /// ended; `done` follows as always.
  virtual void terminate(process_id id) = 0;
};

/// Runs commands on this host, without containment. Without a `thread` it has
/// one of its own. `warden` is the path of the helper program; empty: found
/// beside the running program or where it was installed. Error: sandbox.
caf::expected<std::shared_ptr<process_runner>>
make_host_runner(std::shared_ptr<process_thread> thread = nullptr,
                 std::string warden = {});

} // namespace troupe
