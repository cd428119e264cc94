#pragma once

#include "caf/fwd.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

namespace troupe::co::detail {

/// The ready jobs (actors, mostly) of a system, shared by its workers, first
/// come first served. Any thread may call it.
///
/// To wake a thread on an idle core costs more than most jobs, so a worker
/// that makes one job ready while it runs another wakes nobody: it will take
/// that job itself in a moment. Should it not, because it runs for long, the
/// one idle worker that watches finds the job within `watch_interval`. Nobody
/// watches, and nothing wakes up, while no worker runs anything.
class job_queue {
public:
  /// How long a ready job may wait for a busy worker while another is idle.
  static constexpr auto watch_interval = std::chrono::milliseconds{1};

  job_queue() = default;
  job_queue(const job_queue&) = delete;
  job_queue& operator=(const job_queue&) = delete;

  /// Adds a job from a worker that is about to be free itself.
  void put_from_worker(caf::resumable* job);

  /// Adds a job from any other thread; null ends the worker that takes it.
  void put(caf::resumable* job);

  /// Makes the caller one of the workers, and a busy one.
  void join();

  /// Waits for a job. Only for workers, who are busy again when it returns.
  caf::resumable* take();

  /// The next job, or null when there is none; for cleaning up without
  /// workers.
  caf::resumable* pop();

private:
  caf::resumable* take_front();
  void wake_one();
  void wait(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<caf::resumable*> jobs_;
  /// Workers that run a job.
  size_t busy_ = 0;
  /// Workers that wait, and those of them that have been woken already.
  size_t idle_ = 0;
  size_t waking_ = 0;
  /// One of those that wait looks at the queue from time to time.
  bool is_watched_ = false;
};

} // namespace troupe::co::detail
