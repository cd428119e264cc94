#pragma once

#include "troupe/sandbox/warden/protocol.hpp"

#include <vector>

#include <sys/types.h>

namespace troupe::warden {

/// A command as it came over the socket.
struct command {
  command_header header;
  std::vector<char> texts;
  const char* directory = nullptr;
  /// Both end in null, for exec.
  std::vector<char*> arguments;
  std::vector<char*> variables;
  /// Ends in null.
  std::vector<char*> leftovers;
  /// Why its process could not become the program, if it could not; written by
  /// that process.
  report failure;
  bool has_failed = false;
};

/// What else is done to a command's process right before it becomes the
/// program; false, with errno set, when that fails. It still has the memory of
/// its warden. Null: nothing.
struct confinement {
  bool (*enter)(const command& what, int domain) = nullptr;
  int domain = -1;
};

/// Waits for the command; false when the owner is gone or talks nonsense.
bool read_command(int control, command& result);

/// Gives every signal back its default.
void reset_signals();

/// Starts it in a process group of its own, with no signal
/// blocked, the descriptors 0, 1 and 2 of this one, and no others. Returns its
/// id, or -1 and says in `why` what failed.
pid_t start(command& what, const confinement& confine, report& why);

} // namespace troupe::warden
