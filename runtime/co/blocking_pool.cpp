#include "troupe/runtime/co/blocking_pool.hpp"

#include <algorithm>
#include <utility>

namespace troupe::co {

blocking_pool::blocking_pool(std::size_t threads) {
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i)
    threads_.emplace_back([this] { work(); });
}

blocking_pool::~blocking_pool() {
  {
    auto guard = std::lock_guard{mutex_};
    closing_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_)
    thread.join();
}

void blocking_pool::submit(std::function<void()> job) {
  {
    auto guard = std::lock_guard{mutex_};
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

void blocking_pool::work() {
  auto lock = std::unique_lock{mutex_};
  for (;;) {
    wake_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
    if (jobs_.empty())
      return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr; // what it owned is released outside of the lock
    lock.lock();
  }
}

} // namespace troupe::co
