#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace troupe::co {

/// Threads for calls that block. Its destructor lets accepted calls finish and
/// joins; the last owner may let go within a call, then that thread ends by
/// itself. All functions are thread-safe.
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
  /// What the threads share; outlives the pool in the one that destroys it.
  struct queue {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> jobs;
    bool is_closing = false;
  };

  static void work(const std::shared_ptr<queue>& shared);

  std::shared_ptr<queue> shared_ = std::make_shared<queue>();
  std::vector<std::thread> threads_;
};

} // namespace troupe::co
