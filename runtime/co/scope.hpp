#pragma once

#include "troupe/runtime/co/root_frame.hpp"
#include "troupe/runtime/co/task.hpp"

#include "caf/fwd.hpp"

#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

namespace troupe::co {

/// Owns the root coroutines of one actor; make it the last member of the
/// actor's state, because frames refer to the members above. Cancelling a key
/// or destroying the scope (an actor that exits does) destroys frames at the
/// point where they are suspended, so no step of a coroutine can swallow it;
/// destructors inside them do the cleanup. Belongs to its actor: no other
/// thread may touch it.
class scope {
public:
  scope() = default;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  ~scope();

  /// Starts `body` under `key`; several roots may share one. An exception
  /// that leaves `body` ends the actor `self` with it.
  void spawn(caf::scheduled_actor* self, frame_key key, task<void> body);

  /// Destroys every coroutine under `key` and returns how many. The one that
  /// calls this, if it is among them, is destroyed when it next suspends.
  std::size_t cancel(frame_key key);

  /// Destroys all coroutines but the one that calls this. Returns what still
  /// lingers (see `settle`), also of roots that have ended.
  std::vector<linger_ptr> cancel_others();

  /// What cancelled and ended roots left behind and may not be over; see
  /// `settle`. It is the caller's to wait for from here on.
  std::vector<linger_ptr> take_lingering() {
    return std::exchange(lingering_, {});
  }

  /// Roots that have not ended.
  std::size_t size() const noexcept {
    return size_;
  }

private:
  friend class root_frame;

  template <class Matches>
  std::size_t destroy_where(Matches matches);

  /// A root has ended and left something behind.
  void keep(linger_ptr what);

  root_frame* first_ = nullptr;
  std::size_t size_ = 0;
  /// What ended roots left behind and may not be over.
  std::vector<linger_ptr> lingering_;
};

namespace detail {

/// What every root coroutine's promise has: it is listed in its scope from
/// its creation to its destruction, and frees itself when it has run out.
class root_promise : public root_frame {
public:
  root_promise(scope& owner, frame_key key) noexcept : root_frame(owner, key) {
    // nop
  }

  root_frame* root() noexcept {
    return this;
  }

  std::suspend_always initial_suspend() const noexcept {
    return {};
  }

  std::suspend_never final_suspend() const noexcept {
    return {};
  }

  void return_void() const noexcept {
    // nop
  }
};

} // namespace detail

} // namespace troupe::co
