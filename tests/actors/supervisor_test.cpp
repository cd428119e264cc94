#include "actors/supervisor_cases.hpp"

using namespace troupe;
using namespace std::chrono_literals;
using namespace troupe::test;

TEST_CASE("a supervisor starts its children in order", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  CHECK(it.log.lines == words{"start a", "start b", "start c"});
  CHECK(it.ids() == words{"a", "b", "c"});
}

TEST_CASE("one_for_one restarts only the child that failed", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  it.log.take();
  it.end("b", crash);
  CHECK(it.log.lines == words{"end b", "start b"});
  CHECK(it.list()[1].restarts == 1);
  CHECK(it.list()[0].restarts == 0);
}

TEST_CASE("one_for_all stops in reverse and starts in order", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_all));
  it.log.take();
  it.end("b", crash);
  CHECK(it.log.lines
        == words{"end b", "end c", "end a", "start a", "start b", "start c"});
}

TEST_CASE("rest_for_one leaves earlier children alone", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::rest_for_one));
  it.log.take();
  it.end("b", crash);
  CHECK(it.log.lines == words{"end b", "end c", "start b", "start c"});
}

TEST_CASE("a transient child is restarted only after a failure",
          "[supervisor]") {
  fixture it;
  auto spec = supervisor_spec{};
  for (auto id : {"a", "b", "c"})
    spec.children.push_back(it.worker_spec(id, restart_kind::transient));
  it.start(std::move(spec));
  it.end("a", caf::exit_reason::normal);
  it.end("b", caf::exit_reason::user_shutdown);
  it.end("c", crash);
  CHECK(it.ids() == words{"c"});
}

TEST_CASE("a permanent child is restarted after a normal end", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  it.end("a", caf::exit_reason::normal);
  CHECK(it.ids() == words{"a", "b", "c"});
}

TEST_CASE("a temporary child vanishes when it ends", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  auto spec = it.worker_spec("t", restart_kind::temporary);
  REQUIRE(it.ask<caf::actor>(start_child{spec}));
  CHECK(it.ids() == words{"a", "b", "c", "t"});
  it.end("t", crash);
  CHECK(it.ids() == words{"a", "b", "c"});
}

TEST_CASE("a temporary child is not restarted along with others",
          "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_all));
  auto spec = it.worker_spec("t", restart_kind::temporary);
  REQUIRE(it.ask<caf::actor>(start_child{spec}));
  it.end("a", crash);
  CHECK(it.ids() == words{"a", "b", "c"});
}

TEST_CASE("a child started at run time fails alone", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_all));
  REQUIRE(it.ask<caf::actor>(start_child{it.worker_spec("d")}));
  it.log.take();
  it.end("d", crash);
  CHECK(it.log.lines == words{"end d", "start d"});
  it.end("a", crash);
  CHECK(it.log.lines.back() == "start d");
}

TEST_CASE("too many restarts end the supervisor with an error",
          "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  for (int i = 0; i < 3; ++i)
    it.end("b", crash);
  CHECK_FALSE(it.ended);
  it.log.take();
  it.end("b", crash);
  CHECK(it.ended);
  CHECK(to_fault(it.reason).where == "b");
  CHECK(it.log.lines == words{"end b", "end c", "end a"});
}

TEST_CASE("restarts that are old enough do not count", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  for (int i = 0; i < 10; ++i) {
    it.end("b", crash);
    it.stage.advance(2s);
  }
  CHECK_FALSE(it.ended);
  CHECK(it.list()[1].restarts == 10);
}

TEST_CASE("a supervisor that gave up is its own supervisor's failed child",
          "[supervisor]") {
  fixture it;
  auto inner = [&it](caf::actor_system& system) {
    auto spec = it.three(restart_strategy::one_for_one);
    spec.max_restarts = 0;
    return system.spawn(supervisor_behavior, std::move(spec));
  };
  auto spec = supervisor_spec{};
  spec.children.push_back({"inner", start_with(inner), restart_kind::transient,
                           60s, child_kind::supervisor});
  it.start(std::move(spec));
  auto sub = caf::actor_cast<supervisor_actor>(it.child("inner"));
  auto found = it.stage.ask<caf::actor>(sub, find_child{"c"});
  it.log.take();
  it.stage.send(***found, crash);
  CHECK(it.log.lines
        == words{"end c", "end b", "end a", "start a", "start b", "start c"});
  CHECK(it.list().size() == 4);
  CHECK(it.list()[0].restarts == 1);
}

TEST_CASE("end_work stops in reverse and answers when all are gone",
          "[supervisor]") {
  fixture it;
  auto spec = it.three(restart_strategy::one_for_one);
  spec.children[1] = it.worker_spec("b", restart_kind::permanent,
                                    manners::stubborn);
  it.start(std::move(spec));
  it.log.take();
  auto answer = it.stage.ask<done>(it.sut, end_work{});
  CHECK(it.log.lines == words{"end c"});
  it.stage.advance(4s);
  CHECK(it.log.lines == words{"end c"});
  CHECK_FALSE(answer->has_value());
  it.stage.advance(1s);
  CHECK(it.log.lines == words{"end c", "end b", "end a"});
  REQUIRE(answer->has_value());
  CHECK(answer->value());
  CHECK(it.ended);
  CHECK(it.reason == caf::exit_reason::normal);
}

TEST_CASE("an exit message stops the children first", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  it.log.take();
  caf::anon_send_exit(it.sut, caf::exit_reason::user_shutdown);
  it.stage.run();
  CHECK(it.log.lines == words{"end c", "end b", "end a"});
  CHECK(it.reason == caf::exit_reason::user_shutdown);
}

TEST_CASE("a supervisor that is killed leaves no orphans", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  it.log.take();
  caf::anon_send_exit(it.sut, caf::exit_reason::kill);
  it.stage.run();
  CHECK(it.log.lines.size() == 3);
}

TEST_CASE("stop_child ends a permanent child for good", "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  auto stopped = it.ask<stopped_child>(stop_child{"b"});
  REQUIRE(stopped);
  CHECK_FALSE(stopped->killed);
  CHECK(it.ids() == words{"a", "c"});
}

TEST_CASE("a child that does not end in its grace is killed", "[supervisor]") {
  fixture it;
  it.start({});
  auto spec = it.worker_spec("s", restart_kind::permanent, manners::stubborn);
  REQUIRE(it.ask<caf::actor>(start_child{spec}));
  auto first = it.stage.ask<stopped_child>(it.sut, stop_child{"s"});
  auto second = it.stage.ask<stopped_child>(it.sut, stop_child{"s"});
  CHECK(it.list()[0].state == child_state::stopping);
  CHECK_FALSE(first->has_value());
  it.stage.advance(5s);
  REQUIRE(first->has_value());
  REQUIRE(second->has_value());
  CHECK((**first)->killed);
  CHECK(it.list().empty());
}

TEST_CASE("a supervisor serves while a child takes its time to end",
          "[supervisor]") {
  fixture it;
  it.start(it.three(restart_strategy::one_for_one));
  auto spec = it.worker_spec("s", restart_kind::permanent, manners::stubborn);
  REQUIRE(it.ask<caf::actor>(start_child{spec}));
  it.stage.ask<stopped_child>(it.sut, stop_child{"s"});
  it.end("a", crash);
  REQUIRE(it.ask<caf::actor>(start_child{it.worker_spec("d")}));
  CHECK(it.ids() == words{"a", "b", "c", "s", "d"});
}
