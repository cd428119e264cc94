#pragma once

#include "troupe/sandbox/sandbox_requests.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"
#include "caf/timespan.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// One command with everything decided: nothing is taken from the host's
/// environment but what stands here.
struct process_spec {
  std::vector<std::string> argv;
  /// Absolute.
  std::string directory;
  std::map<std::string, std::string> environment;
  std::string stdin_text;
  /// How long the command may take in all.
  caf::timespan wall = std::chrono::seconds{120};
  /// How long a command that was told to end may take until it is killed.
  caf::timespan grace = std::chrono::seconds{2};
  /// Bytes kept of each output stream; what comes after is read and dropped.
  uint64_t output = 1 << 20;
};

/// Called once, on the runner's thread, when the command and everything it
/// started is gone. Must not throw. Errors: tool (the command cannot be
/// started: a sentence for the model), sandbox (the host failed).
using process_done = std::function<void(caf::expected<process_result>)>;

/// Runs commands without containment and guarantees one thing: a command's
/// whole tree of processes is gone before its end is reported, and when this
/// program dies, however it dies. Owns one thread and every child. All calls
/// are thread-safe.
class process_runner {
public:
  using process_id = uint64_t;

  /// `warden` is the path of the helper program; empty: found beside the
  /// running program or where it was installed. Error: sandbox.
  static caf::expected<std::shared_ptr<process_runner>>
  make(std::string warden = {});

  process_runner() = default;
  process_runner(const process_runner&) = delete;
  process_runner& operator=(const process_runner&) = delete;

  /// Kills what still runs, waits until it is gone, then ends the thread. When
  /// the last owner lets go within `done`, only the waiting is left out.
  virtual ~process_runner();

  /// Starts a command; `done` is called exactly once, also when it cannot be
  /// started.
  virtual process_id start(process_spec spec, process_done done) = 0;

  /// Ends a command's tree: TERM, the grace, then KILL. Harmless when it has
  /// ended; `done` follows as always.
  virtual void terminate(process_id id) = 0;
};

} // namespace troupe
