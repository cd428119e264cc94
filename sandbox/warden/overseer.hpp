#pragma once

#include "troupe/sandbox/warden/command.hpp"

namespace troupe::warden {

/// Makes this process the warden of one command, which comes over
/// `control_fd`, and does all that a warden does; `confine` may be null.
/// Returns its exit status. The descriptors 0, 1 and 2 are the command's.
int serve_command(confinement confine);

/// Kills the children there are, as far as one look tells, but those that
/// `keep` names, which ends in 0. Needs /proc.
void kill_children(const pid_t* keep);

} // namespace troupe::warden
