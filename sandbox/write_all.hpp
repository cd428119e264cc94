#pragma once

#include <string_view>

namespace troupe {

/// Writes all of `content` to a descriptor that blocks. Returns 0 or the errno
/// value.
int write_all(int fd, std::string_view content);

} // namespace troupe
