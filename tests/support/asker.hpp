#pragma once

#include "support/stage.hpp"

#include "troupe/runtime/co/cancel_request.hpp"

#include "caf/actor_cast.hpp"
#include "caf/event_based_actor.hpp"
#include "caf/send.hpp"

#include <memory>
#include <utility>

namespace troupe::test {

/// An actor that asks what a test tells it to and lives until it is killed:
/// the reader of a stream, the owner of what it asked for.
class asker {
public:
  explicit asker(stage& on)
    : stage_(on),
      handle_(on.system().spawn<actor>()),
      self_(
        dynamic_cast<actor*>(caf::actor_cast<caf::abstract_actor*>(handle_))) {
    on.run();
  }

  /// Asks and runs the stage; the answer may come later.
  template <class R, class Handle, class Message>
  answer<R> ask(const Handle& dest, Message message) {
    auto result = std::make_shared<std::optional<caf::expected<R>>>();
    self_->context(nullptr); // the worker that it ran on is gone
    auto request = self_->request(dest, caf::infinite, std::move(message));
    last_ = request.id().request_id().integer_value();
    request.then([=](R& value) { result->emplace(std::move(value)); },
                 [=](caf::error& why) { result->emplace(std::move(why)); });
    stage_.run();
    return result;
  }

  /// Takes the last request, which went to `dest`, back.
  template <class Handle>
  void cancel(const Handle& dest) {
    self_->context(nullptr);
    self_->send(dest, co::cancel_request{last_});
    stage_.run();
  }

  void die() {
    caf::anon_send_exit(handle_, caf::exit_reason::kill);
    stage_.run();
  }

private:
  struct actor : caf::event_based_actor {
    using caf::event_based_actor::event_based_actor;

    caf::behavior make_behavior() override {
      return {[](caf::unit_t) {}};
    }
  };

  stage& stage_;
  caf::actor handle_;
  actor* self_;
  uint64_t last_ = 0;
};

} // namespace troupe::test
