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

/// Whether a run ended before its model was asked, for what it was told to use
/// cannot be had.
inline bool is_misconfigured(const run_object& run) {
  return run.status == run_status::failed && run.usage.model_requests == 0
         && (run.error.kind == errc::configuration
             || run.error.kind == errc::sandbox
             || run.error.kind == errc::policy);
}

inline int exit_code_of(const run_object& run) {
  return is_misconfigured(run) ? exit_usage : exit_code_of(run.status);
}

} // namespace troupe::app
