#pragma once

#include "caf/timespan.hpp"

#include <chrono>
#include <cstddef>
#include <deque>

namespace troupe {

/// Says when restarts pile up: more than `limit` of them within `period`.
/// Knows no clock: the time of each restart is given, and must not go back.
class restart_window {
public:
  using time_point = std::chrono::steady_clock::time_point;

  restart_window() = default;

  restart_window(std::size_t limit, caf::timespan period)
    : limit_(limit),
      period_(period) {
    // nop
  }

  /// Counts one restart; false when that is one too many.
  bool admit(time_point now);

private:
  std::size_t limit_ = 0;
  caf::timespan period_{0};
  /// At most one more than `limit_`.
  std::deque<time_point> recent_;
};

} // namespace troupe
