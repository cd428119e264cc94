#pragma once

#include "caf/timespan.hpp"

#include <chrono>

namespace troupe {

/// How long one file operation may go on.
class time_budget {
public:
  explicit time_budget(caf::timespan length)
    : since_(std::chrono::steady_clock::now()),
      length_(length) {
    // nop
  }

  bool is_spent() const {
    return std::chrono::steady_clock::now() - since_ >= length_;
  }

private:
  std::chrono::steady_clock::time_point since_;
  caf::timespan length_;
};

} // namespace troupe
