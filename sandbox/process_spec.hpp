#pragma once

#include "troupe/sandbox/unique_fd.hpp"

#include "caf/timespan.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// What happens to a command that prints more than is kept.
enum class output_overflow : uint8_t {
  /// It goes on; what comes is read and dropped.
  drain,
  /// It is ended, and `output` is named as its limit.
  end,
};

/// Descriptors a command gets in place of captured pipes; an empty one is
/// captured (output) or reads nothing (input).
struct process_stdio {
  std::shared_ptr<unique_fd> input;
  std::shared_ptr<unique_fd> output;
  std::shared_ptr<unique_fd> errors;
  /// Input is a terminal, which becomes the command's own.
  bool terminal = false;
};

/// One command with everything decided: nothing is taken from the host's
/// environment but what stands here.
struct process_spec {
  std::vector<std::string> argv;
  /// Absolute, as the command sees it.
  std::string directory;
  std::map<std::string, std::string> environment;
  std::string stdin_text;
  process_stdio stdio;
  /// How long the command may take in all.
  caf::timespan wall = std::chrono::seconds{120};
  /// How long a command that was told to end may take until it is killed.
  caf::timespan grace = std::chrono::seconds{2};
  /// Bytes kept of each output stream.
  uint64_t output = 1 << 20;
  output_overflow overflow = output_overflow::drain;
  /// What it and all that comes of it may take of the CPU; 0: unlimited.
  caf::timespan cpu{0};
  /// Of each of its processes: descriptors, the size of a file in bytes; 0:
  /// unlimited.
  uint32_t open_files = 0;
  uint64_t file = 0;
  /// Whether it may start processes of its own; only a sandbox can refuse it.
  bool can_spawn = true;
  /// Empty directories of the host that are removed when it is gone, whoever
  /// is still alive then.
  std::vector<std::string> leftovers;
};

} // namespace troupe
