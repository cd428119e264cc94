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

/// Waits at a socket for an order and its descriptors (-1: not sent). False
/// when the owner is gone or talks nonsense.
bool receive_order(int socket, order& what, warden_fds& fds);

/// Where wardens come in: what is shared by the init and those that are ready.
struct warden_gate {
  /// Orders to start; the other end is the owner's.
  int starts = -1;
  int owner = -1;
  /// A pipe in which one that took an order says so.
  int taken = -1;
  int taking = -1;
};

/// Opens one; false with errno set.
bool open_gate(warden_gate& to);

/// The wardens of the commands that run in this sandbox; children of this
/// process.
class wardens {
public:
  /// What the setup says of limits counts for all of them. `tmpfs` are the
  /// file systems that lie in memory.
  wardens(const setup& limits, std::vector<std::string> tmpfs,
          const warden_gate& gate);

  /// Makes the first one ready.
  void begin();

  /// Notes those that have taken an order, and makes another one ready.
  void note_taken();

  /// Whether orders wait for somebody to be ready: none could be made so.
  bool is_closed() const;

  /// An order waits and nobody is ready: makes one ready, or tells over the
  /// warden's own socket what prevents it.
  void take_order();

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

  void make_ready();
  [[noreturn]] void be_ready() const;
  uint64_t own_tasks() const;
  std::vector<pid_t> pids() const;

  warden_gate gate_;
  /// The one that waits for an order, or -1.
  pid_t spare_ = -1;
  bool begun_ = false;
  std::vector<entry> entries_;
  setup limits_;
  std::vector<std::string> tmpfs_;
};

} // namespace troupe::init
