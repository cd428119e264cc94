#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// What an application hands to a run to be closed with it, whatever its
/// outcome: in reverse order, behind what the run opened itself, on the
/// blocking pool. Local to its process. Any thread may add until the run
/// ends.
class run_resources {
public:
  /// `close` may block; an exception it throws is reported on the run as
  /// "NAME: what it says".
  void add(std::string name, std::function<void()> close) {
    auto guard = std::lock_guard{mutex_};
    entries_.emplace_back(std::move(name), std::move(close));
  }

  /// Closes everything and gives what failed.
  std::vector<std::string> close();

private:
  using entry = std::pair<std::string, std::function<void()>>;

  std::mutex mutex_;
  std::vector<entry> entries_;
};

/// Carries resources in a message within a process; null on another node.
class run_resources_ptr {
public:
  run_resources_ptr() = default;

  explicit run_resources_ptr(std::shared_ptr<run_resources> value)
    : value_(std::move(value)) {
    // nop
  }

  const std::shared_ptr<run_resources>& get() const noexcept {
    return value_;
  }

  template <class Inspector>
  friend typename Inspector::result_type
  inspect(Inspector& f, run_resources_ptr&) {
    return f(); // functions do not travel
  }

private:
  std::shared_ptr<run_resources> value_;
};

} // namespace troupe
