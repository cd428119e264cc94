#pragma once

#include "troupe/runtime/co/cancel_request.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/co/pending_response.hpp"
#include "troupe/runtime/co/root_frame.hpp"

#include "caf/actor_cast.hpp"
#include "caf/duration.hpp"
#include "caf/expected.hpp"
#include "caf/sec.hpp"

#include <coroutine>
#include <memory>
#include <optional>
#include <utility>

namespace troupe::co {

/// Suspends a coroutine until one request is answered. Destroying it while
/// it waits tells the callee that nobody wants the answer any more.
template <class R, class Self, class Handle>
class request_awaiter {
public:
  using value_type = R;

  request_awaiter(Self* self, Handle callee, caf::message_id id, bool has_timer)
    : self_(self),
      callee_(std::move(callee)),
      id_(id),
      has_timer_(has_timer) {
    // nop
  }

  /// Only before it is awaited.
  request_awaiter(request_awaiter&& other) noexcept
    : self_(std::exchange(other.self_, nullptr)),
      callee_(std::move(other.callee_)),
      id_(other.id_),
      has_timer_(other.has_timer_) {
    // nop
  }

  ~request_awaiter() {
    if (self_ == nullptr)
      return;
    if constexpr (!takes_cancel<Handle>)
      if (watching_)
        detail::unwatch_callee(callee_pointer(), self_, id_);
    detail::forget_response(self_, id_, has_timer_);
    if constexpr (takes_cancel<Handle>)
      if (open_)
        self_->send(callee_, cancel_request{id_.request_id().integer_value()});
  }

  bool await_ready() const noexcept {
    return false;
  }

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    waiter_ = waiter{caller};
    if constexpr (!takes_cancel<Handle>) {
      detail::watch_callee(callee_pointer(), self_, id_);
      watching_ = true;
    }
    detail::expect_response(self_, id_,
                            caf::behavior{
                              [this](R& value) { finish(std::move(value)); },
                              [this](caf::error& why) {
                                finish(std::move(why));
                              },
                            });
  }

  R await_resume() {
    if (!*outcome_)
      throw failure{std::move(outcome_->error())};
    return std::move(**outcome_);
  }

  /// The answer or the error, for `as_expected`.
  caf::expected<R> take() {
    return std::move(*outcome_);
  }

private:
  void finish(caf::expected<R> outcome) {
    // After a timeout the callee is still at work for us.
    open_ = !outcome && outcome.error() == caf::sec::request_timeout;
    outcome_.emplace(std::move(outcome));
    waiter_.resume(); // may destroy this
  }

  auto callee_pointer() const {
    return caf::actor_cast<caf::strong_actor_ptr>(callee_);
  }

  Self* self_;
  Handle callee_;
  caf::message_id id_;
  bool has_timer_;
  bool watching_ = false;
  bool open_ = true;
  waiter waiter_;
  std::optional<caf::expected<R>> outcome_;
};

/// Sends `xs` to `callee` and awaits an `R`; throws `failure` on an error, on
/// a timeout (`caf::infinite` for none; see `with_timeout` for whole steps)
/// and at once when the callee dies. The request is sent when this is called.
template <class R, class Self, class Handle, class Timeout, class... Ts>
auto request(Self* self, const Handle& callee, Timeout timeout, Ts&&... xs) {
  auto limit = caf::duration{timeout};
  auto response = self->request(callee, limit, std::forward<Ts>(xs)...);
  return request_awaiter<R, Self, Handle>{self, callee, response.id(),
                                          limit.valid()};
}

/// The same, ahead of the requests that already wait at `callee`.
template <class R, class Self, class Handle, class Timeout, class... Ts>
auto request_urgently(Self* self, const Handle& callee, Timeout timeout,
                      Ts&&... xs) {
  auto limit = caf::duration{timeout};
  auto response = self->template request<caf::message_priority::high>(
    callee, limit, std::forward<Ts>(xs)...);
  return request_awaiter<R, Self, Handle>{self, callee, response.id(),
                                          limit.valid()};
}

/// Awaits what `inner` awaits and returns its error instead of throwing it.
template <class Inner>
class expected_awaiter {
public:
  explicit expected_awaiter(Inner inner) : inner_(std::move(inner)) {
    // nop
  }

  bool await_ready() const noexcept {
    return inner_.await_ready();
  }

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    inner_.await_suspend(caller);
  }

  caf::expected<typename Inner::value_type> await_resume() {
    return inner_.take();
  }

private:
  Inner inner_;
};

/// `co_await as_expected(request<R>(…))` gives a `caf::expected<R>`.
template <class R, class Self, class Handle>
auto as_expected(request_awaiter<R, Self, Handle> inner) {
  return expected_awaiter<request_awaiter<R, Self, Handle>>{std::move(inner)};
}

} // namespace troupe::co
