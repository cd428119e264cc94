#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe::init {

/// What a command, its warden and all that came of it use.
struct tree_usage {
  pid_t warden = 0;
  /// Memory of its own, in bytes.
  uint64_t memory = 0;
  /// Processes and threads.
  uint64_t tasks = 0;
};

/// What the whole sandbox uses.
struct usage {
  std::vector<tree_usage> trees;
  /// Bytes, with what is shared and what lies in its tmpfs.
  uint64_t memory = 0;
  uint64_t tasks = 0;
};

/// Looks at every process of the namespace; `tmpfs` names the file systems that
/// count. A look, not an account: what comes and goes in between is missed, and
/// so is memory that nobody has mapped.
usage measure(const std::vector<pid_t>& wardens,
              const std::vector<std::string>& tmpfs);

} // namespace troupe::init
