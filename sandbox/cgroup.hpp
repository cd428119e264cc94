#pragma once

#include "troupe/sandbox/unique_fd.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe {

/// Where this process may make groups that limit memory and processes: two
/// folders of version 1, one of version 2, or none.
struct cgroup_parents {
  /// 0: neither can be had; 1 or 2.
  int version = 0;
  std::string memory;
  std::string processes;
  /// Why there is none.
  std::string reason;
};

/// Looks for the innermost folders around this process's own groups in which
/// it can make others. It makes and removes one to find out.
cgroup_parents find_cgroup_parents();

/// What has happened in a group so far.
struct cgroup_counts {
  uint64_t killed_for_memory = 0;
  uint64_t refused_processes = 0;
};

/// A group of processes that share a limit of memory and one of processes. Its
/// end removes it, unless there is still a process in it.
class cgroup {
public:
  cgroup(cgroup&&) noexcept = default;
  cgroup& operator=(cgroup&&) noexcept = delete;

  ~cgroup();

  /// Makes one called `name`. Error: sandbox.
  static caf::expected<cgroup> make(const cgroup_parents& parents,
                                    const std::string& name, uint64_t memory,
                                    uint64_t processes);

  /// Puts a process in; its children follow. Error: sandbox.
  caf::error add(pid_t process) const;

  /// Two reads of files that are kept open.
  cgroup_counts counts() const;

  /// What somebody else should remove, in this order, should this process not
  /// live to do it.
  std::vector<std::string> leftovers() const;

private:
  cgroup() = default;

  caf::error make_folder(const std::string& path);
  caf::error open_events(const std::string& memory,
                         const std::string& processes);

  std::vector<std::string> folders_;
  std::string record_;
  unique_fd memory_events_;
  unique_fd process_events_;
};

} // namespace troupe
