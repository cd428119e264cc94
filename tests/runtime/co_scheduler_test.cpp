#include "support/catch.hpp"

#include "troupe/runtime/co/quiet_scheduler.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"
#include "caf/event_based_actor.hpp"
#include "caf/scoped_actor.hpp"
#include "caf/send.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

using namespace std::chrono_literals;

namespace {

struct stage {
  explicit stage(size_t workers) {
    troupe::co::use_quiet_scheduler(config);
    config.set("scheduler.max-threads", workers);
    config.set("scheduler.max-throughput", size_t{50});
    system.emplace(config);
  }

  caf::actor_system_config config;
  std::optional<caf::actor_system> system;
};

/// Answers what it is sent.
caf::behavior echo() {
  return {[](int x) { return x; }};
}

/// Makes another actor ready and then does not return before that one ran.
caf::behavior blocker(caf::event_based_actor* self) {
  return {[self](int) {
    auto ran = std::make_shared<std::promise<void>>();
    auto other = self->spawn([ran](caf::event_based_actor*) -> caf::behavior {
      return {[ran](int) { ran->set_value(); }};
    });
    self->send(other, 1);
    return ran->get_future().wait_for(20s) == std::future_status::ready;
  }};
}

} // namespace

TEST_CASE("jobs run on every number of workers", "[co]") {
  auto workers = GENERATE(size_t{1}, size_t{2}, size_t{5});
  auto on = stage{workers};
  auto self = caf::scoped_actor{*on.system};
  auto sum = 0;
  for (auto i = 0; i < 200; ++i) {
    auto other = on.system->spawn(echo);
    self->request(other, caf::infinite, i)
      .receive([&](int x) { sum += x; }, [](const caf::error&) {});
  }
  CHECK(sum == 19900);
}

TEST_CASE("an idle worker finds the job that a busy one made ready", "[co]") {
  auto on = stage{2};
  auto self = caf::scoped_actor{*on.system};
  for (auto i = 0; i < 20; ++i) {
    auto found = false;
    self->request(on.system->spawn(blocker), caf::infinite, i)
      .receive([&](bool x) { found = x; }, [](const caf::error&) {});
    REQUIRE(found);
  }
}

TEST_CASE("actors that never rest leave room for the others", "[co]") {
  auto on = stage{1};
  auto self = caf::scoped_actor{*on.system};
  auto turns = std::make_shared<std::atomic<int>>(0);
  auto restless = on.system->spawn([turns](caf::event_based_actor* me) {
    return caf::behavior{[me, turns](int) {
      ++*turns;
      me->send(me, 1);
    }};
  });
  caf::anon_send(restless, 1);
  // One worker: an answer means that the restless one was put aside.
  auto answered = false;
  auto other = on.system->spawn(echo);
  self->request(other, caf::infinite, 7)
    .receive([&](int) { answered = true; }, [](const caf::error&) {});
  CHECK(answered);
  caf::anon_send_exit(restless, caf::exit_reason::kill);
}

TEST_CASE("a system ends while jobs are waiting", "[co]") {
  auto on = stage{2};
  for (auto i = 0; i < 100; ++i)
    caf::anon_send(on.system->spawn(echo), i);
  on.system.reset();
  SUCCEED("all threads have ended");
}

TEST_CASE("timers fire on their own", "[co]") {
  auto on = stage{1};
  auto fired = std::make_shared<std::promise<void>>();
  on.system->spawn([fired](caf::event_based_actor* me) {
    me->delayed_send(me, 5ms, 1);
    return caf::behavior{[me, fired](int) {
      fired->set_value();
      me->quit();
    }};
  });
  CHECK(fired->get_future().wait_for(20s) == std::future_status::ready);
}
