#pragma once

#include "troupe/config/sandbox_settings.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

class workspace;

/// One directory that commands of a sandbox see, with the access they have.
struct path_grant {
  std::string name;
  /// Absolute and real.
  std::string path;
  /// The most restrictive of its own and of those it lies within.
  file_access access = file_access::read_only;
  /// The directory that was opened, whatever its name means later.
  uint64_t device = 0;
  uint64_t inode = 0;
  /// Index of the innermost grant it lies within, or -1.
  int within = -1;
};

/// What commands see of a workspace under `policy`, outer paths before inner
/// ones. Errors: policy (a path the workspace lacks), sandbox (a directory was
/// replaced since it was opened).
caf::expected<std::vector<path_grant>>
grant_paths(const workspace& where, const sandbox_settings& policy);

/// Whether absolute `path` lies at or beneath absolute `base`.
bool is_within(const std::string& path, const std::string& base);

} // namespace troupe
