#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

namespace troupe {

/// Makes `name` in the directory `parent` hold `content`, all or nothing:
/// readers see the old file or the new one, also after a crash. `current` is
/// the status of the file that may be replaced, whose owner and mode stay as
/// they are; without it, nothing may stand there. Returns 0 or the errno
/// value; EEXIST, ESTALE: something else stands there by now.
int write_atomically(int parent, const std::string& name,
                     std::string_view content,
                     const std::optional<struct stat>& current);

} // namespace troupe
