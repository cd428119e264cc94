#include "troupe/actors/app/interrupts.hpp"

#include "troupe/actors/app/exit_code.hpp"

#include <pthread.h>

#include <utility>

#include <signal.h>
#include <unistd.h>

namespace troupe::app {

namespace {

sigset_t watched_signals() {
  sigset_t result;
  sigemptyset(&result);
  sigaddset(&result, SIGINT);
  sigaddset(&result, SIGTERM);
  sigaddset(&result, SIGUSR1); // ends the watching
  return result;
}

} // namespace

interrupts::interrupts() {
  auto signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader that went away (`troupe … | head`) is an error of write.
  signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread{[this] { watch(); }};
}

interrupts::~interrupts() {
  {
    auto guard = std::lock_guard{mutex_};
    closing_ = true;
  }
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
}

void interrupts::on_first(std::function<void()> action) {
  auto guard = std::lock_guard{mutex_};
  action_ = std::move(action);
}

void interrupts::watch() {
  auto signals = watched_signals();
  for (;;) {
    auto which = 0;
    sigwait(&signals, &which);
    if (which != SIGUSR1) {
      take();
      continue;
    }
    auto guard = std::lock_guard{mutex_};
    if (closing_)
      return;
  }
}

void interrupts::take() {
  auto guard = std::lock_guard{mutex_};
  auto action = std::exchange(action_, nullptr);
  if (!action)
    _exit(exit_cancelled);
  action();
}

} // namespace troupe::app
