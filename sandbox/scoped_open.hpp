#pragma once

#include "troupe/sandbox/unique_fd.hpp"

#include "caf/error.hpp"

#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>

namespace troupe {

// Opening beneath a directory descriptor, never through a symbolic link,
// however the tree is changed meanwhile. Paths are `workspace_path::relative`:
// no empty part, "." or ".."; the empty path is the directory itself. All
// functions return an empty descriptor and set errno when they fail, and add
// O_CLOEXEC.

/// How the kernel is asked.
enum class resolution : uint8_t {
  /// One call with RESOLVE_BENEATH (Linux 5.6).
  openat2,
  /// Part by part with O_NOFOLLOW, where openat2 is missing or filtered.
  stepwise,
};

/// The better one of those that work here.
resolution probe_resolution() noexcept;

/// Opens whatever is at `path`. ELOOP: a link on the way or at the end.
unique_fd open_beneath(int directory, resolution how, const std::string& path,
                       int flags);

/// Opens a regular file with one hard link for reading and tells its status.
/// Opening a FIFO or a device neither blocks nor acts on it. EISDIR: a
/// directory; ENODEV: no regular file; EMLINK: several hard links, so it may
/// be a file of somewhere else; ESTALE: replaced at this moment.
unique_fd open_regular(int directory, resolution how, const std::string& path,
                       struct stat& status);

/// Opens a directory (O_PATH) and creates what is missing of the path.
unique_fd make_directories(int directory, const std::string& path,
                           mode_t mode = 0777);

/// The sentence for the model about the file it calls `path`; kind tool.
caf::error path_error(int code, const std::string& path);

} // namespace troupe
