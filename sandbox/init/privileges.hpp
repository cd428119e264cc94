#pragma once

namespace troupe::init {

/// Gives up every capability for good, also those that a program of user 0
/// would get by itself, and lets nobody trace this process. False with errno
/// set.
bool drop_privileges();

} // namespace troupe::init
