#include "troupe/sandbox/relay/pressure.hpp"

#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace troupe::relay {

namespace {

// The number that follows `key` at the beginning of a line of the file.
uint32_t count_in(const char* path, const char* key) {
  char text[2048];
  auto fd = ::open(path, O_RDONLY | O_CLOEXEC);
  auto size = fd < 0 ? ssize_t{0} : ::read(fd, text, sizeof text - 1);
  if (fd >= 0)
    ::close(fd);
  text[size > 0 ? size : 0] = '\0';
  auto length = std::strlen(key);
  for (const auto* line = text; line != nullptr && *line != '\0';) {
    if (std::strncmp(line, key, length) == 0 && line[length] == ' ')
      return static_cast<uint32_t>(
        std::strtoul(line + length + 1, nullptr, 10));
    line = std::strchr(line, '\n');
    line = line != nullptr ? line + 1 : nullptr;
  }
  return 0;
}

} // namespace

// Of the two versions of the interface one is there.
pressure read_pressure() {
  auto result = pressure{};
  result.killed_for_memory
    = count_in("/sys/fs/cgroup/memory.events", "oom_kill")
      + count_in("/sys/fs/cgroup/memory/memory.oom_control", "oom_kill");
  result.refused_processes = count_in("/sys/fs/cgroup/pids.events", "max")
                             + count_in("/sys/fs/cgroup/pids/pids.events",
                                        "max");
  return result;
}

} // namespace troupe::relay
