#pragma once

#include "troupe/sandbox/process_spec.hpp"
#include "troupe/sandbox/warden_seat.hpp"

#include "caf/expected.hpp"

namespace troupe {

/// The descriptors of one command, on both sides.
struct process_ends {
  warden_ends theirs;
  unique_fd control;
  /// Empty where the command reads nothing, or a descriptor it was given.
  unique_fd input;
  /// Empty where the command prints into a descriptor it was given.
  unique_fd output;
  unique_fd errors;
};

/// Makes the socket and the pipes of a command. Error: sandbox.
caf::expected<process_ends> make_process_ends(const process_spec& spec);

} // namespace troupe
