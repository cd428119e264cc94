#pragma once

#include "troupe/runtime/co/pending_response.hpp"
#include "troupe/runtime/co/root_frame.hpp"
#include "troupe/runtime/http/http_transport.hpp"

#include "caf/actor_cast.hpp"
#include "caf/actor_control_block.hpp"
#include "caf/behavior.hpp"
#include "caf/error.hpp"

#include <coroutine>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

/// What has come of a transfer since the last look.
struct http_news {
  /// The answer's head; its status is 0 when it came with earlier news.
  http_head head;
  /// The next bytes of the body.
  std::string bytes;
  /// Nothing follows.
  bool done = false;
  /// Done: why the transfer failed; no error when the answer came whole.
  caf::error why;
};

namespace detail {

/// Where the transport's thread leaves news for an actor. The actor is woken
/// once, by one message, for all that comes before it looks, and not at all
/// while it does not wait.
class http_inbox {
public:
  // The transport's thread.

  void put(http_head head);
  void put(std::string_view bytes);
  void end(caf::error why);

  // The actor.

  bool has_news();

  /// Asks for the response `id` at `actor` when news come; false when there
  /// are some.
  bool wait(caf::strong_actor_ptr actor, caf::message_id id);

  /// Takes the wish back.
  void stop_waiting();

  http_news take();

  /// Nothing is wanted any more. Keeps `transfer` until it has ended, or ends
  /// it when more of the body comes.
  void leave(std::unique_ptr<http_transfer> transfer);

private:
  // A head alone is nothing that an actor could act upon.
  bool is_worth_a_look() const noexcept {
    return news_.done || !news_.bytes.empty();
  }

  // Wakes who waits; called without the lock.
  void wake(std::unique_lock<std::mutex> guard);

  std::mutex mutex_;
  http_news news_;
  caf::strong_actor_ptr waiting_;
  caf::message_id id_;
  std::unique_ptr<http_transfer> left_;
};

using http_inbox_ptr = std::shared_ptr<http_inbox>;

} // namespace detail

/// Suspends a coroutine until there are news; at once when there are.
class news_awaiter {
public:
  news_awaiter(caf::scheduled_actor* self, detail::http_inbox& inbox) noexcept
    : self_(self),
      inbox_(inbox) {
    // nop
  }

  news_awaiter(const news_awaiter&) = delete;
  news_awaiter& operator=(const news_awaiter&) = delete;

  ~news_awaiter() {
    if (!waiter_)
      return;
    inbox_.stop_waiting();
    co::detail::forget_response(self_, id_, false);
  }

  bool await_ready() const {
    return inbox_.has_news();
  }

  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> caller) {
    id_ = co::detail::make_response_id(self_);
    if (!inbox_.wait(caf::actor_cast<caf::strong_actor_ptr>(self_), id_))
      return false;
    waiter_ = co::waiter{caller};
    co::detail::expect_response(self_, id_, caf::behavior{[this](bool) {
                                  waiter_.resume(); // may destroy this
                                }});
    return true;
  }

  http_news await_resume() const {
    return inbox_.take();
  }

private:
  caf::scheduled_actor* self_;
  detail::http_inbox& inbox_;
  caf::message_id id_;
  co::waiter waiter_;
};

/// One transfer as the coroutines of one actor see it: they pull what comes.
/// What nobody pulls is kept up to the transport's limit, then the transfer
/// pauses. Destroying it aborts what is not over.
class http_exchange {
public:
  /// Sends `request` for `self`, which owns this.
  http_exchange(caf::scheduled_actor* self, http_transport& transport,
                http_request request);

  /// `co_await x.next()` gives the next news. One coroutine at a time, and
  /// not after those that said `done`.
  news_awaiter next() {
    return news_awaiter{self_, *inbox_};
  }

  /// Says that so many bytes of news need no more memory.
  void consumed(size_t bytes) noexcept {
    transfer_->consumed(bytes);
  }

  /// Ends the transfer soon; `done` comes with `errc::cancelled` unless it was
  /// over.
  void abort() noexcept {
    transfer_->abort();
  }

  /// Lets the transfer end by itself, so that its connection can be used
  /// again, but takes no more of its body. Nothing else is called after that.
  void leave() {
    inbox_->leave(std::move(transfer_));
  }

private:
  caf::scheduled_actor* self_;
  detail::http_inbox_ptr inbox_;
  std::unique_ptr<http_transfer> transfer_;
};

} // namespace troupe
