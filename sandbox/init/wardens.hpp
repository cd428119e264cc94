#pragma once

#include "troupe/sandbox/init/protocol.hpp"
#include "troupe/sandbox/init/roster.hpp"

#include <array>
#include <string>
#include <vector>

namespace troupe::init {

/// The descriptors of a command, in the order and at the numbers that its
/// warden gets them: input, output, errors, the warden's control.
using warden_fds = std::array<int, 4>;

/// Where wardens come in: what is shared by the init and those that are ready.
struct warden_gate {
  /// Orders to start; the other end is the owner's.
  int starts = -1;
  int owner = -1;
  /// An event: the init has to look who is ready.
  int calls = -1;
  /// The domain that commands enter; -1: this kernel has none.
  int scope = -1;
};

/// Opens one; false with errno set.
bool open_gate(warden_gate& to);

/// Waits at a socket for an order, in the owner's words. False when the owner
/// is gone or talks nonsense.
bool receive_order(int socket, order& what);

/// The wardens of the commands that run in this sandbox; children of this
/// process. One that has nothing left to do waits for the next command: to fork
/// another takes as long as all else that is done for a command.
class wardens {
public:
  /// What the setup says of limits counts for all of them. `tmpfs` are the
  /// file systems that lie in memory.
  wardens(const setup& limits, std::vector<std::string> tmpfs,
          const warden_gate& gate);

  /// Makes the first one ready; false with errno set when none can ever be.
  bool begin();

  /// Makes another one ready when all have a command.
  void answer_call();

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
  bool make_ready();
  [[noreturn]] void serve(size_t place);
  void call_init() const;
  bool may_stay() const;
  uint64_t own_tasks() const;

  warden_gate gate_;
  roster roster_;
  bool begun_ = false;
  setup limits_;
  std::vector<std::string> tmpfs_;
};

} // namespace troupe::init
