#pragma once

#include <memory>
#include <utility>

namespace troupe {

/// An immutable value that is shared within a process and copied between
/// nodes. Sending one to an actor costs a reference count, whatever its size.
template <class T>
class shared {
public:
  shared() = default;

  explicit shared(T value)
    : value_(std::make_shared<const T>(std::move(value))) {
    // nop
  }

  /// Takes part in a value that others may have already.
  explicit shared(std::shared_ptr<const T> value) : value_(std::move(value)) {
    // nop
  }

  /// For code that knows no messages; may be null.
  const std::shared_ptr<const T>& pointer() const noexcept {
    return value_;
  }

  const T& operator*() const noexcept {
    return value_ ? *value_ : empty();
  }

  const T* operator->() const noexcept {
    return &**this;
  }

  explicit operator bool() const noexcept {
    return value_ != nullptr;
  }

  template <class Inspector>
  friend typename Inspector::result_type inspect(Inspector& f, shared& x) {
    if constexpr (Inspector::reads_state) {
      return f(const_cast<T&>(*x)); // the inspector only reads
    } else {
      auto value = T{};
      auto result = f(value);
      x = shared{std::move(value)};
      return result;
    }
  }

private:
  static const T& empty() noexcept {
    static const T value{};
    return value;
  }

  std::shared_ptr<const T> value_;
};

} // namespace troupe
