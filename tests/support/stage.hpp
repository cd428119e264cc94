#pragma once

#include "troupe/runtime/messages/register.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"
#include "caf/event_based_actor.hpp"
#include "caf/scheduler/test_coordinator.hpp"
#include "caf/send.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace troupe::test {

/// The answer to one request, once it has arrived.
template <class R>
using answer = std::shared_ptr<std::optional<caf::expected<R>>>;

/// An actor system that runs on the test's own thread. Nothing happens until
/// the test calls run(), and time moves only with advance().
class stage {
public:
  stage() : system_(config_) {
    // nop
  }

  caf::actor_system& system() {
    return system_;
  }

  template <class... Ts>
  auto spawn(Ts&&... xs) {
    return system_.spawn(std::forward<Ts>(xs)...);
  }

  void run() {
    scheduler().run();
  }

  void advance(caf::timespan span) {
    scheduler().advance_time(span);
    run();
  }

  template <class Handle, class Message>
  void send(const Handle& dest, Message message) {
    caf::anon_send(dest, std::move(message));
    run();
  }

  template <class R, class Handle, class Message>
  answer<R> ask(const Handle& dest, Message message) {
    auto result = std::make_shared<std::optional<caf::expected<R>>>();
    system_.spawn([=](caf::event_based_actor* self) {
      self->request(dest, caf::infinite, message)
        .then([=](R& value) { result->emplace(std::move(value)); },
              [=](caf::error& why) { result->emplace(std::move(why)); });
    });
    run();
    return result;
  }

private:
  struct config : caf::actor_system_config {
    config() {
      register_messages(*this);
      set("scheduler.policy", caf::atom("testing"));
    }
  };

  caf::scheduler::test_coordinator& scheduler() {
    using caf::scheduler::test_coordinator;
    return dynamic_cast<test_coordinator&>(system_.scheduler());
  }

  config config_;
  caf::actor_system system_;
};

} // namespace troupe::test
