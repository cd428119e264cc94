#pragma once

#include "caf/expected.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <thread>

namespace troupe {

/// The one thread that starts processes and reads what they print. It lives as
/// long as anything that it started: the kernel tells a child of the end of
/// the thread that forked it, not of its process.
class process_thread {
public:
  /// Error: sandbox.
  static caf::expected<std::shared_ptr<process_thread>> make();

  process_thread(const process_thread&) = delete;
  process_thread& operator=(const process_thread&) = delete;

  /// Ends the thread when nothing is left to do on it, and waits for that,
  /// unless it is this one.
  ~process_thread();

  /// Use only within functions that run on the thread.
  boost::asio::io_context& loop() noexcept;

  /// Runs `f` on the thread, in order. Any thread; `f` must not throw.
  void post(std::function<void()> f);

  bool is_current() const noexcept;

private:
  process_thread();

  using work_guard
    = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

  /// The thread keeps it too.
  std::shared_ptr<boost::asio::io_context> loop_;
  work_guard work_;
  std::thread thread_;
};

} // namespace troupe
