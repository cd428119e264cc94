#include "troupe/sandbox/process_thread.hpp"

#include "troupe/config/errc.hpp"

#include <boost/asio/post.hpp>
#include <pthread.h>

#include <csignal>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

// Signals are for the threads of the application. SIGPIPE among them: a command
// may close what we write to.
std::thread start_thread(std::shared_ptr<boost::asio::io_context> loop) {
  auto all = sigset_t{};
  auto before = sigset_t{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  auto result = std::thread{[loop = std::move(loop)] { loop->run(); }};
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

} // namespace

caf::expected<std::shared_ptr<process_thread>> process_thread::make() {
  try {
    return std::shared_ptr<process_thread>(new process_thread);
  } catch (const std::system_error& failed) {
    return make_error(errc::sandbox, std::string{"cannot start the thread that "
                                                 "runs commands: "}
                                       + failed.what());
  }
}

process_thread::process_thread()
  : loop_(std::make_shared<boost::asio::io_context>(1)),
    work_(loop_->get_executor()),
    thread_(start_thread(loop_)) {
  // nop
}

process_thread::~process_thread() {
  work_.reset();
  if (is_current())
    thread_.detach();
  else
    thread_.join();
}

boost::asio::io_context& process_thread::loop() noexcept {
  return *loop_;
}

void process_thread::post(std::function<void()> f) {
  boost::asio::post(*loop_, std::move(f));
}

bool process_thread::is_current() const noexcept {
  return thread_.get_id() == std::this_thread::get_id();
}

} // namespace troupe
