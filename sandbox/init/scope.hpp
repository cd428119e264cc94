#pragma once

namespace troupe::init {

/// Keeps this process, and all that come of it, from sending signals to
/// processes that do not, such as its warden and the commands beside it, and
/// from their abstract sockets. A second layer: kernels before Landlock's
/// version 6 know no such scope, and there nothing happens. False with errno
/// set when the kernel can, but does not.
bool enter_scope();

/// Whether this kernel knows such a scope.
bool can_enter_scope();

} // namespace troupe::init
