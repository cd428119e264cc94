#pragma once

#include "troupe/runtime/co/pending_response.hpp"
#include "troupe/runtime/co/root_frame.hpp"

#include "caf/behavior.hpp"
#include "caf/error.hpp"
#include "caf/timespan.hpp"

#include <coroutine>
#include <utility>

namespace troupe::co {

/// Suspends a coroutine for a while without blocking its actor. It is a
/// request that nobody gets: the actor's clock answers it, so tests move it.
class sleep_awaiter {
public:
  sleep_awaiter(caf::scheduled_actor* self, caf::timespan delay) noexcept
    : self_(self),
      delay_(delay) {
    // nop
  }

  sleep_awaiter(const sleep_awaiter&) = delete;
  sleep_awaiter& operator=(const sleep_awaiter&) = delete;

  ~sleep_awaiter() {
    if (waiter_)
      detail::forget_response(self_, id_, true);
  }

  bool await_ready() const noexcept {
    return delay_.count() <= 0;
  }

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    waiter_ = waiter{caller};
    id_ = detail::make_response_id(self_);
    detail::expect_response(self_, id_, caf::behavior{[this](caf::error&) {
                              waiter_.resume(); // may destroy this
                            }});
    detail::start_timer(self_, delay_, id_);
  }

  void await_resume() const noexcept {
    // nop
  }

private:
  caf::scheduled_actor* self_;
  caf::timespan delay_;
  caf::message_id id_;
  waiter waiter_;
};

/// Awaits `delay`; not positive: goes on at once.
inline sleep_awaiter sleep_for(caf::scheduled_actor* self,
                               caf::timespan delay) {
  return sleep_awaiter{self, delay};
}

} // namespace troupe::co
