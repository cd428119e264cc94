#pragma once

#include "troupe/runtime/co/compiler_faults.hpp"
#include "troupe/runtime/co/root_frame.hpp"

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace troupe::co {

template <class T>
class task;

namespace detail {

/// Resumes whoever awaited the finished coroutine, if it is suspended.
class final_awaiter {
public:
  final_awaiter() noexcept = default;

  bool await_ready() const noexcept {
    return false;
  }

  template <class Promise>
  std::coroutine_handle<>
  await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
    return finished.promise().continuation();
  }

  void await_resume() const noexcept {
    // nop
  }
};

class promise_base {
public:
  std::suspend_always initial_suspend() const noexcept {
    return {};
  }

  final_awaiter final_suspend() const noexcept {
    return final_awaiter{};
  }

  void unhandled_exception() noexcept {
    failure_ = std::current_exception();
  }

  std::coroutine_handle<> continuation() const noexcept {
    return continuation_;
  }

  root_frame* root() const noexcept {
    return root_;
  }

  /// Says beneath which root this one runs.
  void set_root(root_frame* root) noexcept {
    root_ = root;
  }

  /// Says who is suspended until this one has ended.
  void set_continuation(std::coroutine_handle<> next) noexcept {
    continuation_ = next;
  }

protected:
  void rethrow_if_failed() const {
    if (failure_)
      std::rethrow_exception(failure_);
  }

private:
  std::coroutine_handle<> continuation_ = std::noop_coroutine();
  root_frame* root_ = nullptr;
  std::exception_ptr failure_;
};

template <class T>
class promise : public promise_base {
public:
  task<T> get_return_object() noexcept;

  template <class U>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }

  T take() {
    rethrow_if_failed();
    return std::move(*value_);
  }

private:
  std::optional<T> value_;
};

template <>
class promise<void> : public promise_base {
public:
  task<void> get_return_object() noexcept;

  void return_void() const noexcept {
    // nop
  }

  void take() const {
    rethrow_if_failed();
  }
};

} // namespace detail

/// A lazily started coroutine that belongs to exactly one actor. Destroying a
/// suspended task destroys everything it was waiting for.
template <class T = void>
class [[nodiscard]] task {
public:
  using promise_type = detail::promise<T>;
  using handle_type = std::coroutine_handle<promise_type>;

  explicit task(handle_type frame) noexcept : frame_(frame) {
    // nop
  }

  task(task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {
    // nop
  }

  task& operator=(task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }

  ~task() {
    if (frame_)
      frame_.destroy();
  }

  class awaiter {
  public:
    explicit awaiter(handle_type frame) noexcept : frame_(frame) {
      // nop
    }

    bool await_ready() const noexcept {
      return false;
    }

    // A task that ends without waiting must not cost stack: as a symmetric
    // transfer it would, wherever g++ makes no tail call of one (below -O2,
    // with sanitizers), and a loop over such tasks would overflow.
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> caller) const {
      auto& promise = frame_.promise();
      promise.set_root(caller.promise().root());
      frame_.resume();
      if (frame_.done())
        return false;
      promise.set_continuation(caller);
      return true;
    }

    T await_resume() const {
      return frame_.promise().take();
    }

  private:
    handle_type frame_;
  };

  awaiter operator co_await() const noexcept {
    return awaiter{frame_};
  }

private:
  handle_type frame_;
};

namespace detail {

template <class T>
task<T> promise<T>::get_return_object() noexcept {
  return task<T>{std::coroutine_handle<promise>::from_promise(*this)};
}

inline task<void> promise<void>::get_return_object() noexcept {
  return task<void>{std::coroutine_handle<promise>::from_promise(*this)};
}

} // namespace detail

} // namespace troupe::co
