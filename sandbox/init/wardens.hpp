#pragma once

#include "troupe/sandbox/init/protocol.hpp"

#include <array>
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
  /// `killed_first`: commands offer themselves when memory runs out.
  explicit wardens(bool killed_first);

  /// Starts a warden and gives it `fds`, which are closed here. What prevents
  /// it is told over the warden's own socket.
  void start(uint64_t id, const warden_fds& fds);

  /// Lets a warden go on that was stopped.
  void wake(uint64_t id) const;

  /// Forgets the wardens that have ended. Whatever else ended was left behind
  /// by one that was killed; the owner ends the sandbox for that.
  void reap();

private:
  struct entry {
    uint64_t id;
    pid_t pid;
  };

  std::vector<entry> entries_;
  bool killed_first_;
};

} // namespace troupe::init
