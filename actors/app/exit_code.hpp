#pragma once

#include "troupe/runtime/messages/run_messages.hpp"

namespace troupe::app {

// The program's exit codes, contract section 1.
inline constexpr int exit_completed = 0;
inline constexpr int exit_failed = 1;
/// Usage or configuration: nothing ran.
inline constexpr int exit_usage = 2;
inline constexpr int exit_partial = 3;
inline constexpr int exit_suspended = 4;
inline constexpr int exit_cancelled = 130;

/// What the program ends with after a run of `status`.
constexpr int exit_code_of(run_status status) {
  switch (status) {
    case run_status::completed:
    case run_status::queued:
      return exit_completed;
    case run_status::partial:
      return exit_partial;
    case run_status::suspended:
      return exit_suspended;
    case run_status::cancelled:
      return exit_cancelled;
    default:
      return exit_failed;
  }
}

} // namespace troupe::app
