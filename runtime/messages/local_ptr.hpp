#pragma once

#include <memory>
#include <utility>

namespace troupe {

/// Carries in a message what means something within its process alone:
/// functions, and what holds them. Null on another node.
template <class T>
class local_ptr {
public:
  local_ptr() = default;

  explicit local_ptr(std::shared_ptr<T> value) : value_(std::move(value)) {
    // nop
  }

  const std::shared_ptr<T>& get() const noexcept {
    return value_;
  }

  template <class Inspector>
  friend typename Inspector::result_type inspect(Inspector& f, local_ptr&) {
    return f(); // nothing of it travels
  }

private:
  std::shared_ptr<T> value_;
};

} // namespace troupe
