#pragma once

#include "troupe/runtime/co/root_frame.hpp"

#include "caf/fwd.hpp"
#include "caf/message_id.hpp"
#include "caf/timespan.hpp"

#include <coroutine>
#include <optional>

namespace troupe::co {

class event_awaiter;

/// Something that coroutines of one actor wait for and another part of the
/// same actor brings about. Must outlive whoever waits for it.
class event {
public:
  event() noexcept = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// Resumes all who wait, in the order they came, before it returns. Until
  /// `reset` nobody waits any more. Not for branches of one `when_any`: one
  /// that sets what another waits for may be destroyed while it runs.
  void set();

  /// Lets coroutines wait again.
  void reset() noexcept {
    set_ = false;
  }

  bool is_set() const noexcept {
    return set_;
  }

  /// Awaits the event.
  event_awaiter wait(caf::scheduled_actor* self);

  /// Awaits the event for at most `limit` on the actor's clock; gives whether
  /// it came.
  event_awaiter wait_for(caf::scheduled_actor* self, caf::timespan limit);

private:
  friend class event_awaiter;

  event_awaiter* first_ = nullptr;
  bool set_ = false;
};

/// Suspends a coroutine until an event comes or its time is over.
class event_awaiter {
public:
  event_awaiter(event& what, caf::scheduled_actor* self,
                std::optional<caf::timespan> limit) noexcept
    : event_(what),
      self_(self),
      limit_(limit) {
    // nop
  }

  event_awaiter(const event_awaiter&) = delete;
  event_awaiter& operator=(const event_awaiter&) = delete;

  ~event_awaiter() {
    leave();
    stop_timer();
  }

  bool await_ready() noexcept {
    came_ = event_.is_set();
    return came_ || (limit_ && limit_->count() <= 0);
  }

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    waiter_ = waiter{caller};
    join(&event_.first_);
    if (limit_)
      start_timer();
  }

  bool await_resume() const noexcept {
    return came_;
  }

private:
  friend class event;

  void join(event_awaiter** head) noexcept;
  void leave() noexcept;
  void start_timer();
  void stop_timer() noexcept;

  event& event_;
  caf::scheduled_actor* self_;
  std::optional<caf::timespan> limit_;
  caf::message_id timer_;
  waiter waiter_;
  event_awaiter* next_ = nullptr;
  event_awaiter** link_ = nullptr;
  bool has_timer_ = false;
  bool came_ = false;
};

} // namespace troupe::co
