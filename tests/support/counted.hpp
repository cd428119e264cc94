#pragma once

namespace troupe::test {

/// Counts its live copies, so that a leak or a double destruction fails.
class counted {
public:
  counted() {
    ++live();
  }

  counted(const counted&) {
    ++live();
  }

  counted(counted&&) noexcept {
    ++live();
  }

  counted& operator=(const counted&) = default;
  counted& operator=(counted&&) noexcept = default;

  ~counted() {
    --live();
  }

  static int& live() {
    static int count = 0;
    return count;
  }
};

} // namespace troupe::test
