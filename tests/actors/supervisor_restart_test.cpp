#include "actors/supervisor_cases.hpp"

using namespace troupe;
using namespace std::chrono_literals;
using namespace troupe::test;

namespace {

/// a and b, where b takes until its grace ends; a failed, so b is being
/// stopped to be restarted with it.
void begin_slow_restart(fixture& it) {
  auto spec = supervisor_spec{};
  spec.strategy = restart_strategy::one_for_all;
  spec.children.push_back(it.worker_spec("a"));
  spec.children.push_back(
    it.worker_spec("b", restart_kind::permanent, manners::stubborn));
  it.start(std::move(spec));
  it.end("a", crash);
  it.log.take();
  CHECK(it.list()[0].state == child_state::restarting);
  CHECK(it.list()[1].state == child_state::stopping);
}

} // namespace

TEST_CASE("a child stopped while others restart does not come back",
          "[supervisor]") {
  fixture it;
  begin_slow_restart(it);
  REQUIRE(it.ask<stopped_child>(stop_child{"a"}));
  it.stage.advance(5s);
  CHECK(it.log.lines == words{"end b", "start b"});
  CHECK(it.ids() == words{"b"});
}

TEST_CASE("a child stopped while it is being restarted does not come back",
          "[supervisor]") {
  fixture it;
  begin_slow_restart(it);
  auto stopped = it.stage.ask<stopped_child>(it.sut, stop_child{"b"});
  it.stage.advance(5s);
  CHECK(stopped->has_value());
  CHECK(it.ids() == words{"a"});
}

TEST_CASE("a child added during a restart starts after it", "[supervisor]") {
  fixture it;
  begin_slow_restart(it);
  auto added = it.stage.ask<caf::actor>(it.sut,
                                        start_child{it.worker_spec("c")});
  CHECK_FALSE(added->has_value());
  CHECK(it.list()[2].state == child_state::starting);
  it.stage.advance(5s);
  REQUIRE(added->has_value());
  CHECK(it.log.lines == words{"end b", "start a", "start b", "start c"});
}

TEST_CASE("a child that fails during a restart is started once",
          "[supervisor]") {
  fixture it;
  auto spec = supervisor_spec{};
  spec.strategy = restart_strategy::one_for_all;
  spec.children.push_back(it.worker_spec("a"));
  spec.children.push_back(
    it.worker_spec("b", restart_kind::permanent, manners::stubborn));
  spec.children.push_back(it.worker_spec("c"));
  it.start(std::move(spec));
  auto first = it.child("a");
  it.end("c", crash);
  it.stage.send(first, crash);
  it.log.take();
  it.stage.advance(5s);
  CHECK(it.log.lines == words{"end b", "start a", "start b", "start c"});
}

TEST_CASE("a supervisor can be ended while it restarts children",
          "[supervisor]") {
  fixture it;
  begin_slow_restart(it);
  auto answer = it.stage.ask<done>(it.sut, end_work{});
  auto late = it.stage.ask<caf::actor>(it.sut,
                                       start_child{it.worker_spec("c")});
  REQUIRE(late->has_value());
  CHECK(to_fault((*late)->error()).kind == errc::cancelled);
  it.stage.advance(5s);
  CHECK(answer->has_value());
  CHECK(it.log.lines == words{"end b"});
}

TEST_CASE("a start function that throws counts as a failed start",
          "[supervisor]") {
  fixture it;
  auto starts = 0;
  auto brittle = [&](caf::actor_system& system) -> caf::actor {
    if (++starts == 2 || starts == 3)
      throw std::runtime_error{"no more " + std::to_string(starts)};
    return system.spawn(worker, &it.log, "x", manners::obedient);
  };
  auto spec = supervisor_spec{};
  spec.children.push_back({"x", brittle});
  it.start(std::move(spec));
  it.end("x", crash);
  CHECK(starts == 4);
  CHECK_FALSE(it.ended);
  it.end("x", crash); // the fourth failure: the throws counted
  CHECK(it.ended);
}

TEST_CASE("a first start that fails ends the supervisor", "[supervisor]") {
  fixture it;
  auto spec = it.three(restart_strategy::one_for_one);
  spec.children[2].start = [](caf::actor_system&) -> caf::actor {
    throw std::runtime_error{"no port"};
  };
  it.start(std::move(spec));
  CHECK(it.ended);
  CHECK(to_fault(it.reason).message == "no port");
  CHECK(it.log.lines == words{"start a", "start b", "end b", "end a"});
}

TEST_CASE("a failed start at run time is the caller's error", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  auto broken = [](caf::actor_system&) -> caf::actor {
    throw std::runtime_error{"no port"};
  };
  auto answer = it.ask<caf::actor>(start_child{child_spec{"x", broken}});
  CHECK(to_fault(answer.error()).message == "no port");
  auto empty = it.ask<caf::actor>(start_child{child_spec{"y", {}}});
  CHECK_FALSE(empty);
  auto twice = it.ask<caf::actor>(start_child{it.worker_spec("a")});
  CHECK_FALSE(twice);
  CHECK(it.ids() == words{"a", "b", "c"});
}

TEST_CASE("a supervisor has ten thousand children", "[supervisor]") {
  fixture it;
  it.start({});
  constexpr auto count = 10000;
  for (int i = 0; i < count; ++i) {
    auto spec = it.worker_spec(std::to_string(i), restart_kind::temporary);
    caf::anon_send(it.sut, start_child{std::move(spec)});
  }
  it.stage.run();
  CHECK(it.log.take().size() == count);
  it.end("5000", crash);
  CHECK(it.list().size() == count - 1);
  it.log.take();
  REQUIRE(it.ask<done>(end_work{}));
  CHECK(it.log.take().size() == count - 1);
}

namespace {

using busy_actor
  = caf::typed_actor<caf::replies_to<measure_mailbox>::with<int64_t>,
                     caf::reacts_to<int>>;

busy_actor::behavior_type busy(busy_actor::pointer self) {
  return {
    [self](measure_mailbox) {
      return static_cast<int64_t>(self->mailbox().size());
    },
    [](int) {
      // nop
    },
  };
}

} // namespace

TEST_CASE("the tree lists what is beneath a supervisor", "[supervisor]") {
  fixture it;
  auto inner = [&it](caf::actor_system& system) {
    auto spec = it.three(restart_strategy::one_for_one);
    return system.spawn(supervisor_behavior, std::move(spec));
  };
  auto spec = supervisor_spec{};
  spec.children.push_back(it.worker_spec("first"));
  spec.children.push_back({"inner", start_with(inner), restart_kind::permanent,
                           5s, child_kind::supervisor});
  spec.children.push_back(it.worker_spec("last"));
  it.start(std::move(spec));
  CHECK(it.ids() == words{"first", "inner", "a", "b", "c", "last"});
  auto tree = it.list();
  CHECK(tree[1].kind == child_kind::supervisor);
  CHECK(tree[1].depth == 0);
  CHECK(tree[2].depth == 1);
  CHECK(tree[2].kind == child_kind::worker);
  CHECK(tree[2].state == child_state::running);
  CHECK(tree[2].mailbox == 0);
}

TEST_CASE("a busy child tells how many messages wait for it", "[supervisor]") {
  fixture it;
  auto spec = supervisor_spec{};
  spec.children.push_back(
    {"measured", start_with([](auto& x) { return x.spawn(busy); })});
  spec.children.push_back(it.worker_spec("silent"));
  it.start(std::move(spec));
  auto measured = it.child("measured");
  auto silent = it.child("silent");
  auto answer = std::optional<child_list>{};
  it.stage.spawn([&](caf::event_based_actor* self) {
    self->request(it.sut, caf::infinite, list_children{})
      .then([&](child_list& x) { answer = std::move(x); });
    for (int i = 0; i < 3; ++i)
      self->send(measured, i);
    self->send(silent, 1);
  });
  it.stage.run();
  REQUIRE(answer.has_value());
  CHECK(answer->children[0].mailbox == 3);
  CHECK(answer->children[1].mailbox == child_info::unknown_mailbox);
  CHECK(it.list()[1].mailbox == 0);
}
