#pragma once

#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/co/pending_response.hpp"
#include "troupe/runtime/co/root_frame.hpp"

#include "caf/actor_cast.hpp"
#include "caf/behavior.hpp"
#include "caf/expected.hpp"

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace troupe {

/// Suspends a coroutine until a function of the sandbox layer calls back, from
/// whatever thread. Destroying it only stops the waiting.
template <class R>
class callback_awaiter {
public:
  using callback = std::function<void(caf::expected<R>)>;

  /// `start` gets the callback, which must be called once.
  callback_awaiter(caf::scheduled_actor* self,
                   std::function<void(callback)> start)
    : self_(self),
      start_(std::move(start)) {
    // nop
  }

  callback_awaiter(const callback_awaiter&) = delete;
  callback_awaiter& operator=(const callback_awaiter&) = delete;

  ~callback_awaiter() {
    if (waiter_)
      co::detail::forget_response(self_, id_, false);
  }

  bool await_ready() const noexcept {
    return false;
  }

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    waiter_ = co::waiter{caller};
    id_ = co::detail::make_response_id(self_);
    co::detail::expect_response(self_, id_, caf::behavior{[this](bool) {
                                  waiter_.resume(); // may destroy this
                                }});
    start_([id = id_, outcome = outcome_,
            self = caf::actor_cast<caf::strong_actor_ptr>(self_)](
             caf::expected<R> result) {
      outcome->emplace(std::move(result));
      co::detail::respond(self, nullptr, id, caf::make_message(true));
    });
  }

  R await_resume() {
    if (!**outcome_)
      throw co::failure{(*outcome_)->error()};
    return std::move(***outcome_);
  }

private:
  using outcome_type = std::optional<caf::expected<R>>;

  caf::scheduled_actor* self_;
  std::function<void(callback)> start_;
  std::shared_ptr<outcome_type> outcome_ = std::make_shared<outcome_type>();
  caf::message_id id_;
  co::waiter waiter_;
};

} // namespace troupe
