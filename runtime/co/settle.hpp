#pragma once

#include "troupe/runtime/co/linger.hpp"
#include "troupe/runtime/co/pending_response.hpp"
#include "troupe/runtime/co/root_frame.hpp"

#include "caf/actor_cast.hpp"
#include "caf/behavior.hpp"

#include <coroutine>
#include <memory>
#include <utility>
#include <vector>

namespace troupe::co {

/// Suspends a coroutine until what lingers after cancelled ones has ended.
class settle_awaiter {
public:
  settle_awaiter(caf::scheduled_actor* self, std::vector<linger_ptr> all)
    : self_(self),
      all_(std::move(all)) {
    // nop
  }

  settle_awaiter(const settle_awaiter&) = delete;
  settle_awaiter& operator=(const settle_awaiter&) = delete;

  ~settle_awaiter() {
    if (waiter_)
      detail::forget_response(self_, id_, false);
  }

  bool await_ready() const noexcept {
    return all_.empty();
  }

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    waiter_ = waiter{caller};
    id_ = detail::make_response_id(self_);
    detail::expect_response(self_, id_, caf::behavior{[this](bool) {
                              waiter_.resume(); // may destroy this
                            }});
    // The last of them answers, on whatever thread it ends.
    auto last = std::shared_ptr<void>(
      nullptr,
      [id = id_, self = caf::actor_cast<caf::strong_actor_ptr>(self_)](void*) {
        detail::respond(self, nullptr, id, caf::make_message(true));
      });
    for (auto& one : all_)
      one->then([last] {}); // releasing the copy is the point
  }

  void await_resume() const noexcept {
    // nop
  }

private:
  caf::scheduled_actor* self_;
  std::vector<linger_ptr> all_;
  caf::message_id id_;
  waiter waiter_;
};

/// `co_await settle(self, scope.cancel_others())`.
inline settle_awaiter settle(caf::scheduled_actor* self,
                             std::vector<linger_ptr> all) {
  return settle_awaiter{self, std::move(all)};
}

/// Suspends a coroutine until an actor has died; at once when it has.
class death_awaiter {
public:
  death_awaiter(caf::scheduled_actor* self, caf::strong_actor_ptr other)
    : self_(self),
      other_(std::move(other)) {
    // nop
  }

  death_awaiter(const death_awaiter&) = delete;
  death_awaiter& operator=(const death_awaiter&) = delete;

  ~death_awaiter() {
    if (!waiter_)
      return;
    detail::unwatch_callee(other_, self_, id_);
    detail::forget_response(self_, id_, false);
  }

  bool await_ready() const noexcept {
    return other_ == nullptr;
  }

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    waiter_ = waiter{caller};
    id_ = detail::make_response_id(self_);
    detail::expect_response(self_, id_, caf::behavior{[this](caf::error&) {
                              waiter_.resume(); // may destroy this
                            }});
    detail::watch_callee(other_, self_, id_);
  }

  void await_resume() const noexcept {
    // nop
  }

private:
  caf::scheduled_actor* self_;
  caf::strong_actor_ptr other_;
  caf::message_id id_;
  waiter waiter_;
};

/// `co_await death_of(self, handle)`.
template <class Handle>
death_awaiter death_of(caf::scheduled_actor* self, const Handle& other) {
  return death_awaiter{self, caf::actor_cast<caf::strong_actor_ptr>(other)};
}

} // namespace troupe::co
