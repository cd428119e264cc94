#include "troupe/sandbox/write_all.hpp"

#include <cerrno>
#include <cstddef>

#include <unistd.h>

namespace troupe {

int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    auto count = ::write(fd, content.data(), content.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    content.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

} // namespace troupe
