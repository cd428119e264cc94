#pragma once

#include "troupe/runtime/co/cancel_request.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/co/pending_response.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/co/task.hpp"

#include "caf/delegated.hpp"
#include "caf/response_promise.hpp"

#include <coroutine>
#include <exception>
#include <utility>

namespace troupe::co {

namespace detail {

/// Where one answer goes. Answers exactly once: with `errc::cancelled` when
/// it is dropped unanswered.
class reply {
public:
  explicit reply(caf::response_promise promise) : promise_(std::move(promise)) {
    // nop
  }

  reply(const reply&) = delete;
  reply& operator=(const reply&) = delete;

  template <class T>
  void deliver(T&& value) {
    if (promise_.pending())
      promise_.deliver(std::forward<T>(value));
  }

  /// Answers `cancelled`, after `lingering` where something still runs.
  void drop(const linger_ptr& lingering);

private:
  caf::response_promise promise_;
};

/// A root coroutine that answers a request with what its body returns.
template <class R>
class answer_root {
public:
  class promise_type : public root_promise {
  public:
    promise_type(scope& owner, frame_key key, caf::response_promise& promise,
                 task<R>&) noexcept
      : root_promise(owner, key),
        reply_(std::move(promise)) {
      // nop
    }

    ~promise_type() {
      reply_.drop(lingering());
    }

    answer_root get_return_object() noexcept {
      return answer_root{
        std::coroutine_handle<promise_type>::from_promise(*this)};
    }

    void answer(R value) {
      reply_.deliver(std::move(value));
    }

    void unhandled_exception() {
      reply_.deliver(to_error(std::current_exception()));
    }

    /// Gives the body the way to its own promise.
    class self_awaiter {
    public:
      self_awaiter() noexcept = default;

      bool await_ready() const noexcept {
        return false;
      }

      bool await_suspend(std::coroutine_handle<promise_type> frame) noexcept {
        promise_ = &frame.promise();
        return false;
      }

      promise_type* await_resume() const noexcept {
        return promise_;
      }

    private:
      promise_type* promise_ = nullptr;
    };

  private:
    reply reply_;
  };

  explicit answer_root(std::coroutine_handle<promise_type> frame) noexcept
    : frame_(frame) {
    // nop
  }

  void start() const {
    frame_.promise().resume(frame_);
  }

private:
  std::coroutine_handle<promise_type> frame_;
};

template <class R>
answer_root<R> answer(scope&, frame_key, caf::response_promise, task<R> body) {
  // A local of the frame: it must be gone before the promise, which answers.
  auto work = std::move(body);
  auto self = typename answer_root<R>::promise_type::self_awaiter{};
  auto* promise = co_await self;
  auto value = co_await work;
  promise->answer(std::move(value));
}

} // namespace detail

/// The key under which a request of `caller` with `id` runs.
frame_key request_key(const caf::strong_actor_ptr& caller, uint64_t id);

/// Runs `body` and answers the request that `self` is handling with what it
/// returns or throws; `cancelled` when its frame is destroyed first. Call it
/// from a message handler whose result it returns.
template <class R, class Self>
caf::delegated<R> reply_with(Self* self, task<R> body) {
  auto id = self->current_message_id();
  auto key = request_key(self->current_sender(), id.integer_value());
  auto promise = self->make_response_promise();
  detail::answer<R>(self->state.running, key, std::move(promise),
                    std::move(body))
    .start();
  return {};
}

/// Turns a coroutine function into a message handler of `self`, whose state
/// has a `scope` called `running`.
template <class Self, class R, class Request>
auto serve(Self* self, task<R> (*body)(Self*, Request)) {
  return [self, body](Request& request) {
    return reply_with<R>(self, body(self, std::move(request)));
  };
}

/// The handler that a `cancellable_actor` needs for `cancel_request`.
template <class Self>
auto serve_cancel(Self* self) {
  return [self](cancel_request x) {
    self->state.running.cancel(request_key(self->current_sender(), x.id));
  };
}

} // namespace troupe::co
