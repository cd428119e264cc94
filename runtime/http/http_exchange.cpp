#include "troupe/runtime/http/http_exchange.hpp"

#include "caf/make_message.hpp"

namespace troupe {

namespace {

/// What the transport talks to; it may outlive the exchange.
class inbox_handler : public http_handler {
public:
  explicit inbox_handler(detail::http_inbox_ptr inbox)
    : inbox_(std::move(inbox)) {
    // nop
  }

  void on_head(http_head head) noexcept override {
    inbox_->put(std::move(head));
  }

  void on_data(std::string_view bytes) noexcept override {
    inbox_->put(bytes);
  }

  void on_done(caf::error why) noexcept override {
    inbox_->end(std::move(why));
  }

private:
  detail::http_inbox_ptr inbox_;
};

} // namespace

namespace detail {

void http_inbox::put(http_head head) {
  auto guard = std::lock_guard{mutex_};
  news_.head = std::move(head);
}

void http_inbox::put(std::string_view bytes) {
  auto guard = std::unique_lock{mutex_};
  if (left_)
    return left_->abort();
  news_.bytes += bytes;
  wake(std::move(guard));
}

void http_inbox::end(caf::error why) {
  auto guard = std::unique_lock{mutex_};
  news_.done = true;
  news_.why = std::move(why);
  wake(std::move(guard));
}

bool http_inbox::has_news() {
  auto guard = std::lock_guard{mutex_};
  return is_worth_a_look();
}

bool http_inbox::wait(caf::strong_actor_ptr actor, caf::message_id id) {
  auto guard = std::lock_guard{mutex_};
  if (is_worth_a_look())
    return false;
  waiting_ = std::move(actor);
  id_ = id;
  return true;
}

void http_inbox::stop_waiting() {
  auto released = caf::strong_actor_ptr{}; // without the lock
  auto guard = std::lock_guard{mutex_};
  released.swap(waiting_);
}

http_news http_inbox::take() {
  auto guard = std::lock_guard{mutex_};
  return std::exchange(news_, http_news{});
}

void http_inbox::leave(std::unique_ptr<http_transfer> transfer) {
  auto guard = std::lock_guard{mutex_};
  if (!news_.done)
    left_ = std::move(transfer);
}

void http_inbox::wake(std::unique_lock<std::mutex> guard) {
  auto actor = std::exchange(waiting_, nullptr);
  auto id = id_;
  guard.unlock();
  if (actor)
    co::detail::respond(actor, nullptr, id, caf::make_message(true));
}

} // namespace detail

http_exchange::http_exchange(caf::scheduled_actor* self,
                             http_transport& transport, http_request request)
  : self_(self),
    inbox_(std::make_shared<detail::http_inbox>()),
    transfer_(transport.start(std::move(request),
                              std::make_unique<inbox_handler>(inbox_))) {
  // nop
}

} // namespace troupe
