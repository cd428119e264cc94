#pragma once

#include "troupe/sandbox/warden/command.hpp"

#include <csignal>

namespace troupe::warden {

/// What a warden is sent when its command is to be ended for a limit that
/// somebody else watches.
constexpr auto memory_signal = SIGUSR1;
constexpr auto processes_signal = SIGUSR2;

/// Makes this process the warden of one command, which comes over
/// `control_fd`, and does all that a warden does; `confine` may be null.
/// Returns its exit status. The descriptors 0, 1 and 2 are the command's.
int serve_command(confinement confine);

} // namespace troupe::warden
