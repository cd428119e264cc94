#pragma once

#include "troupe/sandbox/unique_fd.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace troupe {

/// A warden that was just started, and our ends of what it has.
struct warden_process {
  pid_t pid = -1;
  unique_fd control;
  /// Empty when the command has nothing to read: it gets /dev/null.
  unique_fd stdin_pipe;
  unique_fd stdout_pipe;
  unique_fd stderr_pipe;
};

/// What the command reads.
enum class stdin_mode : uint8_t { nothing, pipe };

/// Starts the program at `path` without copying this process's page tables.
/// Error: sandbox.
caf::expected<warden_process> spawn_warden(const std::string& path,
                                           stdin_mode mode);

/// The helper program: where it was installed beside the running program, or in
/// its folder. Error: sandbox.
caf::expected<std::string> find_warden();

} // namespace troupe
