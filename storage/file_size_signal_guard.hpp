#pragma once

#include <signal.h>

namespace troupe {

/// Writing past RLIMIT_FSIZE sends SIGXFSZ, which ends the process by
/// default. While one of these lives, the calling thread gets the error EFBIG
/// instead; a library must not change how the whole process takes a signal.
/// Belongs to the thread that made it.
class file_size_signal_guard {
public:
  file_size_signal_guard();
  file_size_signal_guard(const file_size_signal_guard&) = delete;
  file_size_signal_guard& operator=(const file_size_signal_guard&) = delete;
  ~file_size_signal_guard();

private:
  sigset_t before_;
};

} // namespace troupe
