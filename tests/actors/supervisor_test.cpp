#include "troupe/actors/supervise/supervisor.hpp"

#include "support/catch.hpp"
#include "support/stage.hpp"

#include "troupe/config/errc.hpp"

#include "caf/all.hpp"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

using words = std::vector<std::string>;

/// Every start and end of a worker, in order.
struct diary {
  words lines;

  void write(const std::string& what, const std::string& id) {
    lines.push_back(what + " " + id);
  }

  words take() {
    return std::exchange(lines, {});
  }
};

struct worker_state {
  ~worker_state() {
    if (log != nullptr)
      log->write("end", id);
  }

  diary* log = nullptr;
  std::string id;
};

/// What a worker does when it is asked to end.
enum class manners { obedient, stubborn };

/// Ends with the error it is sent.
caf::behavior worker(caf::stateful_actor<worker_state>* self, diary* log,
                     std::string id, manners how) {
  log->write("start", id);
  self->state.log = log;
  self->state.id = std::move(id);
  if (how == manners::stubborn)
    self->set_exit_handler([](caf::exit_msg&) {
      // nop
    });
  return {
    [self](const caf::error& reason) { self->quit(reason); },
    [](int) {
      // nop
    },
  };
}

const auto crash = make_error(errc::internal, "crashed");

/// A supervisor of workers, seen from its client.
struct fixture {
  /// Nothing runs by itself here, so nothing would end by itself.
  ~fixture() {
    caf::anon_send_exit(sut, caf::exit_reason::kill);
    sut = supervisor_actor{};
    stage.run();
  }

  child_spec worker_spec(const std::string& id,
                         restart_kind kind = restart_kind::permanent,
                         manners how = manners::obedient) {
    auto start = [this, id, how](caf::actor_system& system) {
      return system.spawn(worker, &log, id, how);
    };
    return {id, start, kind, 5s};
  }

  void start(supervisor_spec spec) {
    sut = stage.spawn(supervisor_behavior, std::move(spec));
    stage.run();
    sut->attach_functor([this](const caf::error& why) {
      ended = true;
      reason = why;
    });
  }

  template <class R, class Message>
  caf::expected<R> ask(Message message) {
    auto answer = stage.ask<R>(sut, std::move(message));
    REQUIRE(answer->has_value());
    return std::move(**answer);
  }

  caf::actor child(const std::string& id) {
    auto found = ask<caf::actor>(find_child{id});
    REQUIRE(found);
    return *found;
  }

  void end(const std::string& id, const caf::error& why) {
    stage.send(child(id), why);
  }

  std::vector<child_info> list() {
    return ask<child_list>(list_children{})->children;
  }

  words ids() {
    auto result = words{};
    for (auto& info : list())
      result.push_back(info.id);
    return result;
  }

  /// Three permanent workers under `strategy`.
  supervisor_spec three(restart_strategy strategy) {
    auto spec = supervisor_spec{};
    spec.strategy = strategy;
    for (auto id : {"a", "b", "c"})
      spec.children.push_back(worker_spec(id));
    return spec;
  }

  diary log;
  bool ended = false;
  caf::error reason;
  test::stage stage;
  supervisor_actor sut;
};

} // namespace

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
                     caf::replies_to<int>::with<int>>;

busy_actor::behavior_type busy(busy_actor::pointer self) {
  return {
    [self](measure_mailbox) {
      return static_cast<int64_t>(self->mailbox().size());
    },
    [](int n) { return n; },
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
