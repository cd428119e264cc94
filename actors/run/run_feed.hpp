#pragma once

#include "troupe/runtime/messages/run_messages.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace troupe {

/// Something that has just happened to a run: an event (runs.event), or, where
/// there is none, a new status (runs.status).
struct run_notice {
  const std::string& run_id;
  const run_event* event = nullptr;
  run_status status = run_status::running;
};

using run_subscriber = std::function<void(const run_notice&)>;

/// Tells whoever wants to know what happens to the runs of a runtime, as it
/// happens. Any thread may use it.
class run_feed {
public:
  run_feed() = default;
  run_feed(const run_feed&) = delete;
  run_feed& operator=(const run_feed&) = delete;

  /// Calls `who` for each notice from here on, on the run's thread: for one run
  /// in order, for several at once. It must not block for long or throw.
  /// Returns what `unsubscribe` takes.
  uint64_t subscribe(run_subscriber who);

  /// Waits until a call under way has returned; not from inside one.
  void unsubscribe(uint64_t id);

  bool has_subscribers() const noexcept {
    return count_.load(std::memory_order_relaxed) > 0;
  }

  void publish(const run_notice& notice);

private:
  struct subscriber {
    std::mutex calling;
    run_subscriber call;
  };

  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<subscriber>> subscribers_;
  uint64_t last_id_ = 0;
  std::atomic<size_t> count_ = 0;
};

} // namespace troupe
