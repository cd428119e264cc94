#pragma once

#include "troupe/sandbox/init/mounts.hpp"

#include <array>

namespace troupe::init {

/// The sockets of this network namespace that its owner answers on. They are
/// closed here when they have been sent.
class sockets {
public:
  /// Whether a step is one of ours.
  static bool is_about(const step& what);

  /// Takes one that was opened elsewhere; -1: none.
  void add(int fd);

  /// Opens what a step asks for, or gives an address. False with errno set.
  bool open(const mount_step& x);

  /// Sends `what`, with the sockets when it is good.
  void send(const answer& what);

private:
  std::array<int, max_sockets> fds_{};
  uint32_t count_ = 0;
};

} // namespace troupe::init
