#pragma once

#include "caf/error.hpp"
#include "caf/expected.hpp"
#include "caf/timespan.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace troupe {

/// One command for a remote sandbox.
struct remote_command {
  std::vector<std::string> argv;
  /// Relative to the remote root, without "..": empty is the root.
  std::string directory;
  /// What is set beside what the remote sandbox sets itself: PATH, HOME,
  /// TMPDIR and TROUPE_WORKSPACE_ROOT.
  std::map<std::string, std::string> environment;
  std::string stdin_text;
  /// The remote sandbox ends the whole tree when this is over.
  caf::timespan timeout = std::chrono::seconds{120};
  /// Bytes of each output stream that are wanted.
  uint64_t output = 1 << 20;
};

struct remote_outcome {
  std::string stdout_text;
  std::string stderr_text;
  /// 0 to 255; 128 + signal where a signal ended it.
  int32_t status = 0;
  /// 0 to 64.
  int32_t signal = 0;
  bool timed_out = false;
  bool truncated = false;
};

/// A sandbox somewhere else, in four calls: whoever has one writes this around
/// it, and troupe's tools work there. Calls block, and come from several
/// threads at once. Paths are relative to the remote root, without "..".
/// Errors: tool for what a model may mend (no such file), with a sentence for
/// it; sandbox for the rest. What it answers is checked before it is believed:
/// sizes, ranges, exceptions, and calls that do not come back.
class remote_client {
public:
  remote_client() = default;
  remote_client(const remote_client&) = delete;
  remote_client& operator=(const remote_client&) = delete;
  virtual ~remote_client();

  /// A whole file.
  virtual caf::expected<std::string> read(const std::string& path) = 0;

  /// Makes a file hold `content`, and the directories it lacks.
  virtual caf::error write(const std::string& path, const std::string& content)
    = 0;

  /// Runs a command to its end, and answers when nothing of it is left. When
  /// `stop` is requested, it ends the command.
  virtual caf::expected<remote_outcome>
  exec(const remote_command& command, std::stop_token stop) = 0;

  /// Ends the sandbox and all that runs in it. Called once, last.
  virtual caf::error close() = 0;
};

} // namespace troupe
