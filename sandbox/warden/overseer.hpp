#pragma once

#include "troupe/sandbox/warden/command.hpp"

#include <csignal>

namespace troupe::warden {

/// What a warden is sent when its command is to be ended for a limit that
/// somebody else watches.
constexpr auto memory_signal = SIGUSR1;
constexpr auto processes_signal = SIGUSR2;

/// What a warden writes to a descriptor as soon as its command runs, or cannot.
struct start_note {
  uint64_t id = 0;
  pid_t warden = 0;
};

/// The descriptor for that, if it is wanted.
constexpr auto note_fd = control_fd + 1;

/// Makes this process the warden of one command, which comes over
/// `control_fd`, and does all that a warden does; `confine` may be null, and so
/// may `note`. Returns its exit status. The descriptors 0, 1 and 2 are the
/// command's.
int serve_command(confinement confine, const start_note* note);

} // namespace troupe::warden
