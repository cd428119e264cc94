#pragma once

#include "troupe/runtime/co/blocking_pool.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/co/linger.hpp"
#include "troupe/runtime/co/pending_response.hpp"
#include "troupe/runtime/co/root_frame.hpp"

#include "caf/actor_cast.hpp"
#include "caf/behavior.hpp"

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace troupe::co {

namespace detail {

/// One blocking call and its outcome; shared by the pool and the coroutine,
/// so either may go first.
template <class R>
struct blocking_call {
  using value_type = std::conditional_t<std::is_void_v<R>, std::monostate, R>;

  std::function<R()> function;
  std::optional<value_type> value;
  std::exception_ptr failure;

  void run() noexcept {
    try {
      if constexpr (std::is_void_v<R>) {
        function();
        value.emplace();
      } else {
        value.emplace(function());
      }
    } catch (...) { // rethrown in the coroutine that waits
      failure = std::current_exception();
    }
    function = nullptr;
  }
};

} // namespace detail

/// Suspends a coroutine while a pool thread runs one blocking call. A call
/// that was accepted runs to its end even when the coroutine is cancelled;
/// whoever asked for the coroutine hears of the cancellation only then.
template <class R>
class offload_awaiter {
public:
  offload_awaiter(caf::scheduled_actor* self, blocking_pool& pool,
                  std::function<R()> function)
    : self_(self),
      pool_(pool),
      call_(std::make_shared<detail::blocking_call<R>>()) {
    call_->function = std::move(function);
  }

  offload_awaiter(const offload_awaiter&) = delete;
  offload_awaiter& operator=(const offload_awaiter&) = delete;

  ~offload_awaiter() {
    if (waiter_)
      detail::forget_response(self_, id_, false);
  }

  bool await_ready() const noexcept {
    return false;
  }

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    waiter_ = waiter{caller};
    id_ = detail::make_response_id(self_);
    detail::expect_response(self_, id_, caf::behavior{[this](bool) {
                              waiter_.resume();
                            }}); // may destroy this
    auto& afterwards = waiter_.root()->afterwards();
    afterwards.hold();
    pool_.submit([call = call_, id = id_,
                  self = caf::actor_cast<caf::strong_actor_ptr>(self_),
                  held = waiter_.root()->lingering()] {
      call->run();
      detail::respond(self, nullptr, id, caf::make_message(true));
      held->release();
    });
  }

  R await_resume() {
    if (call_->failure)
      std::rethrow_exception(call_->failure);
    if constexpr (!std::is_void_v<R>)
      return std::move(*call_->value);
  }

private:
  caf::scheduled_actor* self_;
  blocking_pool& pool_;
  std::shared_ptr<detail::blocking_call<R>> call_;
  caf::message_id id_;
  waiter waiter_;
};

/// Runs `function`, which takes everything it needs by value, on `pool` and
/// awaits its result; an exception it throws is thrown here.
template <class R>
offload_awaiter<R> offload(caf::scheduled_actor* self, blocking_pool& pool,
                           std::function<R()> function) {
  return offload_awaiter<R>{self, pool, std::move(function)};
}

} // namespace troupe::co
