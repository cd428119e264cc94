#pragma once

#include "troupe/sandbox/warden/command.hpp"

#include <csignal>

namespace troupe::warden {

/// What a warden is sent when its command is to be ended for a limit that
/// somebody else watches.
constexpr auto memory_signal = SIGUSR1;
constexpr auto processes_signal = SIGUSR2;

/// What a warden has before its command is there.
struct equipment {
  /// Tells of children and orders; above the command's descriptors.
  int signals = -1;
  /// An errno value when something could not be had; the command is told.
  int failed = 0;
};

/// Makes this process one that can be a warden.
equipment get_ready();

/// What names a command in a signal; 0: none.
constexpr int short_id(uint64_t id) {
  return static_cast<int>(id & 0x7fffffff);
}

/// Does all that a warden does for one command, which comes over `control_fd`;
/// the descriptors 0, 1 and 2 are the command's. A signal of ours that names
/// another command than `id`, if that is not 0, came late. All four descriptors
/// are closed when it returns: false when there was no command.
bool serve_command(const equipment& with, const confinement& confine,
                   uint64_t id);

} // namespace troupe::warden
