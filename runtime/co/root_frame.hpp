#pragma once

#include "troupe/runtime/co/linger.hpp"

#include <coroutine>
#include <cstdint>
#include <utility>

namespace troupe::co {

class scope;

/// Files a root coroutine: cancelling a key ends every root under it. For a
/// served request it is the caller and the request's id, so that the caller
/// can cancel what it asked for and nothing else.
struct frame_key {
  uint64_t caller = 0;
  uint64_t request = 0;

  friend bool operator==(const frame_key& x, const frame_key& y) {
    return x.caller == y.caller && x.request == y.request;
  }
};

/// The part of a root coroutine that everything it awaits can see: whose it
/// is, whether it runs right now, and what must end before it counts as
/// ended. Every frame beneath a root points to it.
class root_frame {
public:
  root_frame(scope& owner, frame_key key) noexcept : owner_(&owner), key_(key) {
    // nop
  }

  root_frame(const root_frame&) = delete;
  root_frame& operator=(const root_frame&) = delete;

  /// Runs `frame`, which belongs to this root, until it suspends. A root that
  /// is cancelled while it runs is destroyed right after.
  void resume(std::coroutine_handle<> frame);

  /// What goes on after the frames are gone (a blocking call that was
  /// accepted); made on first use.
  linger& afterwards() {
    if (!afterwards_)
      afterwards_ = linger::make();
    return *afterwards_;
  }

  /// Null when nothing ever lingered.
  const linger_ptr& lingering() const noexcept {
    return afterwards_;
  }

protected:
  ~root_frame();

private:
  friend class scope;

  scope* owner_;
  frame_key key_;
  root_frame* next_ = nullptr;
  root_frame** link_ = nullptr;
  std::coroutine_handle<> frame_;
  /// Set while running; told whether the root survived.
  bool* survived_ = nullptr;
  bool doomed_ = false;
  linger_ptr afterwards_;
};

/// A suspended coroutine and the root it belongs to.
class waiter {
public:
  waiter() noexcept = default;

  template <class Promise>
  explicit waiter(std::coroutine_handle<Promise> frame) noexcept
    : frame_(frame),
      root_(frame.promise().root()) {
    // nop
  }

  explicit operator bool() const noexcept {
    return static_cast<bool>(frame_);
  }

  void reset() noexcept {
    frame_ = {};
  }

  /// The coroutine itself, for a symmetric transfer.
  std::coroutine_handle<> frame() const noexcept {
    return frame_;
  }

  root_frame* root() const noexcept {
    return root_;
  }

  /// Goes on from a message handler.
  void resume() {
    root_->resume(std::exchange(frame_, {}));
  }

private:
  std::coroutine_handle<> frame_;
  root_frame* root_ = nullptr;
};

} // namespace troupe::co
