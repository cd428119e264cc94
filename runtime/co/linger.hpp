#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace troupe::co {

class linger;

using linger_ptr = std::shared_ptr<linger>;

/// Counts what outlives a cancelled coroutine and calls back when the last of
/// it has ended: a blocking call on another thread cannot be destroyed, so
/// the caller hears `cancelled` only after it. Any thread may release.
class linger {
public:
  static linger_ptr make() {
    return std::make_shared<linger>();
  }

  void hold() {
    auto guard = std::lock_guard{mutex_};
    ++held_;
  }

  void release() {
    auto farewells = std::vector<std::function<void()>>{};
    {
      auto guard = std::lock_guard{mutex_};
      if (--held_ == 0)
        farewells.swap(farewells_);
    }
    for (auto& farewell : farewells)
      farewell();
  }

  /// Whether nothing is held.
  bool is_over() {
    auto guard = std::lock_guard{mutex_};
    return held_ == 0;
  }

  /// Calls `farewell` once nothing is held: now, or on the thread that
  /// releases last.
  void then(std::function<void()> farewell) {
    {
      auto guard = std::lock_guard{mutex_};
      if (held_ > 0) {
        farewells_.push_back(std::move(farewell));
        return;
      }
    }
    farewell();
  }

private:
  std::mutex mutex_;
  size_t held_ = 0;
  std::vector<std::function<void()>> farewells_;
};

} // namespace troupe::co
