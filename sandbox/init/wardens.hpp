#pragma once

#include "troupe/sandbox/init/protocol.hpp"

#include <array>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe::init {

/// The descriptors of a warden to be: control, input, output, errors. Those
/// that are there are closed by whoever has them last.
using warden_fds = std::array<int, 4>;

/// Waits for an order and its descriptors (-1: not sent). False when the owner
/// is gone or talks nonsense.
bool receive_order(order& what, warden_fds& fds);

/// The wardens of the commands that run in this sandbox; children of this
/// process.
class wardens {
public:
  /// What the setup says of limits counts for all of them. `tmpfs` are the
  /// file systems that lie in memory.
  wardens(const setup& limits, std::vector<std::string> tmpfs);

  /// Starts a warden and gives it `fds`, which are closed here. What prevents
  /// it is told over the warden's own socket.
  void start(uint64_t id, const warden_fds& fds);

  /// Lets a warden go on that was stopped.
  void wake(uint64_t id) const;

  /// Whether somebody has to look at the limits now and then.
  bool are_watched() const;

  /// Looks at the limits, and ends the command that uses the most of what is
  /// exceeded.
  void look() const;

  /// Ends the only command, or the one with the most processes if there are so
  /// many `tasks`: those beside it may have been refused one, too.
  void relieve_processes(uint32_t tasks) const;

  /// Ends the only command.
  void relieve_memory() const;

  /// Forgets the wardens that have ended. Whatever else ended was left behind
  /// by one that was killed; the owner ends the sandbox for that.
  void reap();

private:
  struct entry {
    uint64_t id;
    pid_t pid;
  };

  std::vector<pid_t> pids() const;

  std::vector<entry> entries_;
  setup limits_;
  std::vector<std::string> tmpfs_;
};

} // namespace troupe::init
