#include "troupe/runtime/co/job_queue.hpp"

namespace troupe::co::detail {

void job_queue::put_from_worker(caf::resumable* job) {
  auto lock = std::unique_lock{mutex_};
  jobs_.push_back(job);
  if (jobs_.size() > 1 || !is_watched_)
    wake_one();
}

void job_queue::put(caf::resumable* job) {
  auto lock = std::unique_lock{mutex_};
  jobs_.push_back(job);
  wake_one();
}

void job_queue::join() {
  auto lock = std::unique_lock{mutex_};
  ++busy_;
}

caf::resumable* job_queue::take() {
  auto lock = std::unique_lock{mutex_};
  --busy_;
  while (jobs_.empty())
    wait(lock);
  ++busy_;
  return take_front();
}

caf::resumable* job_queue::pop() {
  auto lock = std::unique_lock{mutex_};
  return jobs_.empty() ? nullptr : take_front();
}

caf::resumable* job_queue::take_front() {
  auto* job = jobs_.front();
  jobs_.pop_front();
  return job;
}

void job_queue::wake_one() {
  if (idle_ == waking_)
    return;
  ++waking_;
  ready_.notify_one();
}

void job_queue::wait(std::unique_lock<std::mutex>& lock) {
  ++idle_;
  if (busy_ == 0 || is_watched_) {
    ready_.wait(lock);
  } else {
    is_watched_ = true;
    ready_.wait_for(lock, watch_interval);
    is_watched_ = false;
  }
  --idle_;
  if (waking_ > 0)
    --waking_;
}

} // namespace troupe::co::detail
