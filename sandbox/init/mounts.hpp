#pragma once

#include "troupe/sandbox/init/protocol.hpp"

namespace troupe::init {

/// One step with its texts.
struct mount_step {
  step what;
  const char* path = nullptr;
  const char* text = nullptr;
};

/// Carries one step out, with the capability CAP_SYS_ADMIN. False with errno
/// set when it cannot be done. No step follows a symbolic link in a part of a
/// path that a sandboxed program could have written.
bool carry_out(const mount_step& x);

} // namespace troupe::init
