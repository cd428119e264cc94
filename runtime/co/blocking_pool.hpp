#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace troupe::co {

/// Threads for calls that block. Owned by a runtime; its destructor lets
/// accepted calls finish and joins. All functions are thread-safe.
class blocking_pool {
public:
  /// Starts `threads` (at least one).
  explicit blocking_pool(std::size_t threads);

  blocking_pool(const blocking_pool&) = delete;
  blocking_pool& operator=(const blocking_pool&) = delete;
  ~blocking_pool();

  /// Runs `job`, which must not throw, on a pool thread; in order of arrival.
  void submit(std::function<void()> job);

private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

} // namespace troupe::co
