#pragma once

#include "troupe/runtime/co/root_frame.hpp"
#include "troupe/runtime/co/task.hpp"

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <variant>

namespace troupe::co::detail {

/// Counts the branches of one coroutine that still run and wakes it when it
/// has what it waits for.
class branch_group {
public:
  explicit branch_group(std::size_t needed) noexcept : needed_(needed) {
    // nop
  }

  /// A branch has ended; the coroutine to go on with.
  std::coroutine_handle<> branch_ended(bool failed) noexcept {
    if (settled_)
      return std::noop_coroutine();
    settled_ = failed || --needed_ == 0;
    if (settled_ && parent_)
      return parent_.frame();
    return std::noop_coroutine();
  }

  bool settled() const noexcept {
    return settled_;
  }

  /// From here on a settled group resumes `parent`.
  void wait(waiter parent) noexcept {
    parent_ = parent;
  }

private:
  std::size_t needed_;
  bool settled_ = false;
  waiter parent_;
};

/// What a branch came to. `void` counts as std::monostate.
template <class T>
struct branch_slot {
  using value_type = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

  std::optional<value_type> value;
  std::exception_ptr failure;
};

/// A coroutine beside others beneath one root. Destroying it destroys what it
/// awaits.
class branch {
public:
  class promise_type {
  public:
    class final_awaiter {
    public:
      final_awaiter() noexcept = default;

      bool await_ready() const noexcept {
        return false;
      }

      std::coroutine_handle<>
      await_suspend(std::coroutine_handle<promise_type> ended) const noexcept {
        auto& promise = ended.promise();
        return promise.group_->branch_ended(promise.failed_);
      }

      void await_resume() const noexcept {
        // nop
      }
    };

    branch get_return_object() noexcept {
      return branch{std::coroutine_handle<promise_type>::from_promise(*this)};
    }

    std::suspend_always initial_suspend() const noexcept {
      return {};
    }

    final_awaiter final_suspend() const noexcept {
      return final_awaiter{};
    }

    void return_value(bool failed) noexcept {
      failed_ = failed;
    }

    void unhandled_exception() const noexcept {
      std::terminate(); // run_branch catches everything
    }

    root_frame* root() const noexcept {
      return root_;
    }

  private:
    friend class branch;

    branch_group* group_ = nullptr;
    root_frame* root_ = nullptr;
    bool failed_ = false;
  };

  explicit branch(std::coroutine_handle<promise_type> frame) noexcept
    : frame_(frame) {
    // nop
  }

  branch(branch&& other) noexcept : frame_(std::exchange(other.frame_, {})) {
    // nop
  }

  branch& operator=(branch&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }

  ~branch() {
    if (frame_)
      frame_.destroy();
  }

  void start(branch_group& group, root_frame* root) const {
    frame_.promise().group_ = &group;
    frame_.promise().root_ = root;
    frame_.resume();
  }

private:
  std::coroutine_handle<promise_type> frame_;
};

/// Runs `work` and leaves its outcome in `slot`, which outlives the branch.
template <class T>
branch run_branch(task<T> work, branch_slot<T>* slot) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await work;
      slot->value.emplace();
    } else {
      slot->value = co_await work;
    }
  } catch (...) { // handed on by whoever awaits the group
    slot->failure = std::current_exception();
  }
  auto failed = slot->failure != nullptr;
  co_return failed;
}

/// Starts branches until the group is settled; suspends when it is not.
template <class Branches>
class group_awaiter {
public:
  group_awaiter(branch_group& group, Branches& branches) noexcept
    : group_(group),
      branches_(branches) {
    // nop
  }

  bool await_ready() const noexcept {
    return group_.settled();
  }

  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> parent) {
    auto self = waiter{parent};
    for (auto& one : branches_) {
      one.start(group_, self.root());
      if (group_.settled())
        return false;
    }
    group_.wait(self);
    return true;
  }

  void await_resume() const noexcept {
    // nop
  }

private:
  branch_group& group_;
  Branches& branches_;
};

} // namespace troupe::co::detail
