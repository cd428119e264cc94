#pragma once

namespace troupe::init {

// What the filters of system calls refuse. They are programs for the kernel,
// which are made when this is built: to make them takes longer, and more
// memory, than all else that the init of a sandbox does.

/// The filter of a sandbox; `unix_sockets`: with sockets of the family AF_UNIX.
/// Both return an errno value.
int write_filter(int fd, bool unix_sockets);

/// The one that is added for a command which may start no other process.
int write_spawn_filter(int fd);

} // namespace troupe::init
