#include "troupe/storage/file_size_signal_guard.hpp"

namespace troupe {

namespace {

sigset_t file_size_signal() {
  auto result = sigset_t{};
  sigemptyset(&result);
  sigaddset(&result, SIGXFSZ);
  return result;
}

} // namespace

file_size_signal_guard::file_size_signal_guard() {
  auto blocked = file_size_signal();
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

file_size_signal_guard::~file_size_signal_guard() {
  auto pending = sigset_t{};
  sigpending(&pending);
  if (sigismember(&before_, SIGXFSZ) == 0
      && sigismember(&pending, SIGXFSZ) == 1) {
    // Taken here, or it would be delivered as soon as it is unblocked.
    auto blocked = file_size_signal();
    auto taken = 0;
    sigwait(&blocked, &taken);
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

} // namespace troupe
