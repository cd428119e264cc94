#pragma once

namespace troupe::init {

/// Opens the domain of a command: who enters it cannot send signals to
/// processes outside, such as its warden and the commands beside it, nor reach
/// their abstract sockets; each that enters has one of its own. A second layer:
/// kernels before Landlock's version 6 know no such scope, and there it stays
/// -1. False with errno set when the kernel can, but does not.
bool open_scope(int& fd);

/// For this process and all that come of it; false with errno set.
bool enter_scope(int fd);

/// Whether this kernel knows such a scope.
bool can_enter_scope();

} // namespace troupe::init
