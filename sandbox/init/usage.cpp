#include "troupe/sandbox/init/usage.hpp"

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace troupe::init {

namespace {

constexpr auto kibi = uint64_t{1024};

struct process {
  pid_t pid = 0;
  pid_t parent = 0;
  uint64_t own = 0;
  uint64_t shared = 0;
  uint64_t tasks = 0;
};

// The number after `key` at the start of a line; 0: there is none.
uint64_t number_after(const char* text, const char* key) {
  const auto* found = std::strstr(text, key);
  return found == nullptr
           ? 0
           : std::strtoull(found + std::strlen(key), nullptr, 10);
}

// A process may lie about its name only, and the kernel escapes line feeds in
// that.
process look_at(pid_t pid) {
  char path[32];
  char text[4096];
  std::snprintf(path, sizeof path, "/proc/%d/status", static_cast<int>(pid));
  auto fd = ::open(path, O_RDONLY | O_CLOEXEC);
  auto count = fd < 0 ? -1 : ::read(fd, text, sizeof text - 1);
  if (fd >= 0)
    ::close(fd);
  if (count <= 0)
    return {};
  text[count] = '\0';
  auto result = process{};
  result.pid = pid;
  result.parent = static_cast<pid_t>(number_after(text, "\nPPid:"));
  result.own = number_after(text, "\nRssAnon:") * kibi;
  result.shared = number_after(text, "\nRssShmem:") * kibi;
  result.tasks = number_after(text, "\nThreads:");
  return result;
}

std::vector<process> all_processes() {
  auto result = std::vector<process>{};
  auto* folder = ::opendir("/proc");
  if (folder == nullptr)
    return result;
  while (const auto* entry = ::readdir(folder)) // NOLINT: one thread
    if (auto pid = static_cast<pid_t>(std::atoi(entry->d_name)); pid > 0)
      if (auto one = look_at(pid); one.pid != 0)
        result.push_back(one);
  ::closedir(folder);
  std::sort(result.begin(), result.end(),
            [](const auto& x, const auto& y) { return x.pid < y.pid; });
  return result;
}

pid_t parent_among(const std::vector<process>& all, pid_t pid) {
  auto found
    = std::lower_bound(all.begin(), all.end(), pid,
                       [](const auto& x, pid_t y) { return x.pid < y; });
  return found == all.end() || found->pid != pid ? 0 : found->parent;
}

// Null: it comes of none of them.
tree_usage* tree_of(usage& in, const std::vector<process>& all, pid_t pid) {
  // Parents that changed while they were read could be a circle.
  for (auto steps = all.size(); pid > 1 && steps > 0; --steps) {
    for (auto& tree : in.trees)
      if (tree.warden == pid)
        return &tree;
    pid = parent_among(all, pid);
  }
  return nullptr;
}

uint64_t bytes_in(const std::string& tmpfs) {
  struct statvfs found{};

  if (::statvfs(tmpfs.c_str(), &found) != 0)
    return 0;
  return uint64_t{found.f_blocks - found.f_bfree} * found.f_frsize;
}

} // namespace

usage measure(const std::vector<pid_t>& wardens,
              const std::vector<std::string>& tmpfs) {
  auto all = all_processes();
  auto result = usage{};
  for (auto warden : wardens)
    result.trees.push_back({warden, 0, 0});
  // Many may share one piece of memory: it counts once.
  auto shared = uint64_t{0};
  for (const auto& one : all) {
    result.memory += one.own;
    result.tasks += one.tasks;
    shared = std::max(shared, one.shared);
    if (auto* tree = tree_of(result, all, one.pid)) {
      tree->memory += one.own + one.shared;
      tree->tasks += one.tasks;
    }
  }
  result.memory += shared;
  for (const auto& path : tmpfs)
    result.memory += bytes_in(path);
  return result;
}

} // namespace troupe::init
