#pragma once

#include <linux/filter.h>

namespace troupe::init {

// What `filter_rules` says as programs for the kernel; their source is written
// by `filter_maker` when this is built.

extern const sock_fprog without_unix_sockets;
extern const sock_fprog with_unix_sockets;
/// For a command that may start no other process.
extern const sock_fprog without_processes;

} // namespace troupe::init
