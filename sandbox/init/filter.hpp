#pragma once

namespace troupe::init {

/// Refuses to this process, and to all that come of it, the system calls that
/// no program in a sandbox needs and that reach beyond it. `unix_sockets`:
/// sockets of the family AF_UNIX may be opened. Returns 0 or an errno value.
int install_filter(bool unix_sockets);

/// Refuses to start processes; threads may. Returns 0 or an errno value.
int install_spawn_filter();

} // namespace troupe::init
