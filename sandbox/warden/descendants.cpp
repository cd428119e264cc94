#include "troupe/sandbox/warden/descendants.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::warden {

namespace {

constexpr auto children_file = "/proc/thread-self/children";

// A process that was stopped has no new children, so the looks come to an end
// by themselves; this bounds them should somebody wake the stopped.
constexpr auto most_looks = 50;

struct process {
  pid_t pid = 0;
  /// 0: it is gone, or nobody's.
  pid_t parent = 0;
  /// In clock ticks.
  int64_t cpu = 0;
};

process look_at(pid_t pid) {
  char path[32];
  char text[512];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  auto fd = ::open(path, O_RDONLY | O_CLOEXEC);
  auto count = fd < 0 ? -1 : ::read(fd, text, sizeof text - 1);
  if (fd >= 0)
    ::close(fd);
  if (count <= 0)
    return {pid};
  text[count] = '\0';
  // A name may hold anything, parentheses too; what follows it may not.
  const auto* end = std::strrchr(text, ')');
  auto parent = 0;
  long times[4] = {};
  if (end == nullptr
      || std::sscanf(end,
                     ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld %ld "
                     "%ld",
                     &parent, &times[0], &times[1], &times[2], &times[3])
           != 5)
    return {pid};
  return {pid, parent, int64_t{times[0]} + times[1] + times[2] + times[3]};
}

std::vector<process> all_processes() {
  auto result = std::vector<process>{};
  auto* folder = ::opendir("/proc");
  if (folder == nullptr)
    return result;
  while (const auto* entry = ::readdir(folder))
    if (auto pid = static_cast<pid_t>(std::atoi(entry->d_name)); pid > 0)
      result.push_back(look_at(pid));
  ::closedir(folder);
  return result;
}

/// This process, and those that are known to come of it.
class family {
public:
  family() : members_{::getpid()} {
    // nop
  }

  // Stops those that are not known yet; false when there are none.
  bool stop_more() {
    auto before = members_.size();
    find(all_processes(),
         [this](const process& one) { send(one.pid, SIGSTOP); });
    return members_.size() > before;
  }

  // Calls `f` with each of `all` that comes of the family and is not known yet.
  template <class F>
  void find(const std::vector<process>& all, F f) {
    for (auto known = size_t{0}; known != members_.size();) {
      known = members_.size();
      for (const auto& one : all)
        if (contains(one.parent) && !contains(one.pid)) {
          f(one);
          add(one.pid);
        }
    }
  }

  void kill() const {
    for (auto pid : members_)
      if (pid != ::getpid())
        send(pid, SIGKILL);
  }

private:
  bool contains(pid_t pid) const {
    return std::binary_search(members_.begin(), members_.end(), pid);
  }

  void add(pid_t pid) {
    members_.insert(std::upper_bound(members_.begin(), members_.end(), pid),
                    pid);
  }

  // An id may have become somebody else's since it was read. The descriptor
  // holds one process, and a child of the family's is of the family: its
  // parent, which is stopped or this process, keeps its own id.
  void send(pid_t pid, int signal) const {
    auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    auto is_old = fd < 0 && errno == ENOSYS;
    auto is_ours = contains(look_at(pid).parent);
    if (is_old && is_ours)
      ::kill(pid, signal);
    if (fd < 0)
      return;
    if (is_ours)
      ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0);
    ::close(fd);
  }

  /// Sorted.
  std::vector<pid_t> members_;
};

// A child that is not reaped keeps its id, so nobody else can be hit. They are
// told here even where /proc hides processes.
void kill_children() {
  auto fd = ::open(children_file, O_RDONLY | O_CLOEXEC);
  char text[4096];
  auto count = fd < 0 ? 0 : ::read(fd, text, sizeof text);
  if (fd >= 0)
    ::close(fd);
  auto pid = pid_t{0};
  for (auto i = ssize_t{0}; i < count; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      pid = pid * 10 + (text[i] - '0');
      continue;
    }
    // Only a number with its end is whole.
    if (pid > 0)
      ::kill(pid, SIGKILL);
    pid = 0;
  }
}

} // namespace

void kill_descendants() {
  auto ours = family{};
  for (auto look = 0; look < most_looks && ours.stop_more(); ++look)
    continue;
  ours.kill();
  kill_children();
}

int64_t cpu_of_descendants() {
  auto ticks = int64_t{0};
  auto ours = family{};
  ours.find(all_processes(), [&](const process& one) { ticks += one.cpu; });
  return ticks * 1000 / ::sysconf(_SC_CLK_TCK);
}

bool can_see_children() {
  return ::access(children_file, R_OK) == 0;
}

} // namespace troupe::warden
