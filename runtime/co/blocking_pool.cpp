#include "troupe/runtime/co/blocking_pool.hpp"

#include <algorithm>
#include <utility>

namespace troupe::co {

blocking_pool::blocking_pool(std::size_t threads) {
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i)
    threads_.emplace_back([shared = shared_] { work(shared); });
}

blocking_pool::~blocking_pool() {
  {
    auto guard = std::lock_guard{shared_->mutex};
    shared_->is_closing = true;
  }
  shared_->wake.notify_all();
  for (auto& thread : threads_)
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach();
    else
      thread.join();
}

void blocking_pool::submit(std::function<void()> job) {
  {
    auto guard = std::lock_guard{shared_->mutex};
    shared_->jobs.push_back(std::move(job));
  }
  shared_->wake.notify_one();
}

void blocking_pool::work(const std::shared_ptr<queue>& shared) {
  auto lock = std::unique_lock{shared->mutex};
  auto& jobs = shared->jobs;
  for (;;) {
    shared->wake.wait(lock,
                      [&] { return shared->is_closing || !jobs.empty(); });
    if (jobs.empty())
      return;
    auto job = std::move(jobs.front());
    jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr; // what it owned is released outside of the lock
    lock.lock();
  }
}

} // namespace troupe::co
