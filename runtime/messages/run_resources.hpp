#pragma once

#include "troupe/runtime/messages/local_ptr.hpp"

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

using run_resources_ptr = local_ptr<run_resources>;

} // namespace troupe
