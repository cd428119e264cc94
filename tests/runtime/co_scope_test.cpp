#include "support/catch.hpp"
#include "support/counted.hpp"
#include "support/stage.hpp"

#include "troupe/runtime/co/for_each.hpp"
#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/sleep.hpp"
#include "troupe/runtime/co/stream.hpp"
#include "troupe/runtime/co/when_all.hpp"
#include "troupe/runtime/co/when_any.hpp"

#include "caf/all.hpp"

#include <atomic>
#include <chrono>
#include <future>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

struct host_state {
  co::scope running;
};

using host_ptr = caf::stateful_actor<host_state>*;

/// An actor for coroutines: whatever a test starts runs in it.
caf::behavior host(host_ptr self, std::function<void(host_ptr)> start) {
  start(self);
  return {
    [self](caf::ok_atom) { self->state.running.cancel({1, 1}); },
  };
}

co::task<int> sleepy(host_ptr self, caf::timespan delay, int value) {
  auto witness = test::counted{};
  co_await co::sleep_for(self, delay);
  if (value < 0)
    throw co::failure{errc::limit, "negative"};
  co_return value;
}

struct outcome {
  std::vector<int> values;
  std::string failure;
  bool done = false;
};

co::task<void> gather(host_ptr self, std::vector<int> seconds, outcome* out) {
  auto work = std::vector<co::task<int>>{};
  for (auto n : seconds)
    work.push_back(sleepy(self, std::chrono::seconds{std::abs(n)}, n));
  try {
    out->values = co_await co::when_all(std::move(work));
  } catch (const co::failure& why) {
    out->failure = why.what();
  }
  out->done = true;
}

co::task<void> race(host_ptr self, std::vector<int> seconds, outcome* out) {
  auto work = std::vector<co::task<int>>{};
  for (auto n : seconds)
    work.push_back(sleepy(self, std::chrono::seconds{std::abs(n)}, n));
  auto winner = co_await co::when_any(std::move(work));
  out->values = {static_cast<int>(winner.index), winner.value};
  out->done = true;
}

co::task<void> hurry(host_ptr self, int seconds, outcome* out) {
  auto work = sleepy(self, std::chrono::seconds{seconds}, seconds);
  try {
    auto value = co_await co::with_timeout(self, 5s, std::move(work));
    out->values = {value};
  } catch (const co::failure& why) {
    out->failure = to_string(to_fault(why.reason()).kind);
  }
  out->done = true;
}

co::task<void> mixed(host_ptr self, outcome* out) {
  auto slow = sleepy(self, 2s, 2);
  auto quick = sleepy(self, 1s, 1);
  auto both = co_await co::when_all(std::move(slow), std::move(quick));
  out->values = {std::get<0>(both), std::get<1>(both)};
  out->done = true;
}

/// Runs `body` in an actor of its own under the key {1, 1}.
caf::actor start(test::stage& stage,
                 std::function<co::task<void>(host_ptr)> body) {
  auto boot = [body](host_ptr self) {
    self->state.running.spawn(self, {1, 1}, body(self));
  };
  auto result = stage.spawn(host, boot);
  stage.run();
  return result;
}

} // namespace

TEST_CASE("when_all gives results in the order of its arguments", "[co]") {
  test::stage stage;
  outcome out;
  auto sut = start(stage, [&](host_ptr self) {
    return gather(self, {3, 1, 2}, &out);
  });
  stage.advance(2s);
  CHECK_FALSE(out.done);
  stage.advance(1s);
  CHECK(out.done);
  CHECK(out.values == std::vector<int>{3, 1, 2});
}

TEST_CASE("when_all of nothing is done at once", "[co]") {
  test::stage stage;
  outcome out;
  auto sut = start(stage,
                   [&](host_ptr self) { return gather(self, {}, &out); });
  CHECK(out.done);
  CHECK(out.values.empty());
}

TEST_CASE("when_all takes different tasks", "[co]") {
  test::stage stage;
  outcome out;
  auto sut = start(stage, [&](host_ptr self) { return mixed(self, &out); });
  stage.advance(2s);
  CHECK(out.values == std::vector<int>{2, 1});
}

TEST_CASE("the first failure of when_all destroys the rest", "[co]") {
  test::stage stage;
  outcome out;
  auto sut = start(stage, [&](host_ptr self) {
    return gather(self, {30, -1, 20}, &out);
  });
  CHECK(test::counted::live() == 3);
  stage.advance(1s);
  CHECK(out.failure == "negative");
  CHECK(test::counted::live() == 0);
}

TEST_CASE("when_any gives the first and destroys the others", "[co]") {
  test::stage stage;
  outcome out;
  auto sut = start(stage, [&](host_ptr self) {
    return race(self, {30, 1, 20}, &out);
  });
  stage.advance(1s);
  CHECK(out.values == std::vector<int>{1, 1});
  CHECK(test::counted::live() == 0);
}

TEST_CASE("a step that takes too long is destroyed", "[co]") {
  test::stage stage;
  outcome in_time;
  outcome late;
  auto first = start(stage,
                     [&](host_ptr self) { return hurry(self, 4, &in_time); });
  auto second = start(stage,
                      [&](host_ptr self) { return hurry(self, 60, &late); });
  stage.advance(5s);
  CHECK(in_time.values == std::vector<int>{4});
  CHECK(late.failure == "timeout");
  CHECK(test::counted::live() == 0);
}

TEST_CASE("cancelling a scope destroys frames where they are suspended",
          "[co]") {
  test::stage stage;
  outcome out;
  auto sut = start(stage,
                   [&](host_ptr self) { return gather(self, {3, 4}, &out); });
  CHECK(test::counted::live() == 2);
  stage.send(sut, caf::ok_atom::value);
  CHECK(test::counted::live() == 0);
  stage.advance(10s);
  CHECK_FALSE(out.done);
}

namespace {

co::task<void> cancel_itself(host_ptr self, bool* went_on) {
  auto witness = test::counted{};
  self->state.running.cancel({1, 1});
  CHECK(test::counted::live() == 1);
  co_await co::sleep_for(self, 1s);
  *went_on = true;
}

} // namespace

TEST_CASE("a coroutine that cancels itself ends at its next suspension",
          "[co]") {
  test::stage stage;
  auto went_on = false;
  auto sut = start(stage, [&](host_ptr self) {
    return cancel_itself(self, &went_on);
  });
  CHECK(test::counted::live() == 0);
  stage.advance(5s);
  CHECK_FALSE(went_on);
}

namespace {

struct load {
  int now = 0;
  int most = 0;
  std::vector<int> order;
};

co::task<void> carry(host_ptr self, load* load, int n) {
  load->most = std::max(load->most, ++load->now);
  co_await co::sleep_for(self, 1s);
  --load->now;
  load->order.push_back(n);
  if (n < 0)
    throw co::failure{errc::limit, "dropped"};
}

co::task<void> carry_all(host_ptr self, load* load, std::vector<int> items,
                         std::string* failed) {
  auto step = std::function<co::task<void>(int)>{
    [=](int n) { return carry(self, load, n); }};
  auto all = co::for_each(std::move(items), 2, std::move(step));
  try {
    co_await all;
  } catch (const co::failure& why) {
    *failed = why.what();
  }
}

} // namespace

TEST_CASE("for_each runs as many at once as it may", "[co]") {
  test::stage stage;
  load load;
  std::string failed;
  auto sut = start(stage, [&](host_ptr self) {
    return carry_all(self, &load, {1, 2, 3, 4, 5}, &failed);
  });
  for (int i = 0; i < 3; ++i)
    stage.advance(1s);
  CHECK(load.order.size() == 5);
  CHECK(load.most == 2);
  CHECK(failed.empty());
}

TEST_CASE("for_each ends with the first failure", "[co]") {
  test::stage stage;
  load load;
  std::string failed;
  auto sut = start(stage, [&](host_ptr self) {
    return carry_all(self, &load, {1, -2, 3, 4, 5}, &failed);
  });
  for (int i = 0; i < 5; ++i)
    stage.advance(1s);
  CHECK(failed == "dropped");
  CHECK(load.order == std::vector<int>{1, -2});
}

namespace {

struct source {
  int next = 1;
  int fetches = 0;
};

co::task<co::batch<int>> fetch_numbers(host_ptr self, source* from) {
  co_await co::sleep_for(self, 1s);
  ++from->fetches;
  auto result = co::batch<int>{};
  while (from->next <= 5 && result.items.size() < 2)
    result.items.push_back(from->next++);
  result.done = from->next > 5;
  co_return result;
}

co::task<void> read_all(host_ptr self, source* from, outcome* out) {
  auto numbers = co::stream<int>{[=] { return fetch_numbers(self, from); }};
  for (;;) {
    auto item = co_await numbers.next();
    if (!item)
      break;
    out->values.push_back(*item);
  }
  out->done = true;
}

} // namespace

TEST_CASE("a stream is fetched only when it is read", "[co]") {
  test::stage stage;
  outcome out;
  source from;
  auto sut = start(stage,
                   [&](host_ptr self) { return read_all(self, &from, &out); });
  stage.advance(1s);
  CHECK(from.fetches == 1);
  stage.advance(1s);
  stage.advance(1s);
  CHECK(out.done);
  CHECK(out.values == std::vector<int>{1, 2, 3, 4, 5});
  CHECK(from.fetches == 3);
}

// A blocking pool has threads, so these run on a real scheduler.
namespace {

struct live_config : caf::actor_system_config {
  live_config() {
    register_messages(*this);
    set("scheduler.max-threads", size_t{2});
  }
};

struct gate {
  std::promise<void> opened;
  std::shared_future<void> open = opened.get_future().share();
  std::atomic<int> started = 0;
  std::atomic<int> ended = 0;
};

using blocker_actor = co::cancellable_actor<caf::replies_to<int>::with<int>>;
using blocker_ptr = blocker_actor::stateful_pointer<host_state>;

co::task<int> block(blocker_ptr self, co::blocking_pool* pool, gate* gate,
                    int n) {
  auto call = std::function<int()>{[gate, n] {
    ++gate->started;
    gate->open.wait();
    ++gate->ended;
    if (n < 0)
      throw std::runtime_error{"blocked badly"};
    return n + 1;
  }};
  co_return co_await co::offload(self, *pool, std::move(call));
}

blocker_actor::behavior_type blocker(blocker_ptr self, co::blocking_pool* pool,
                                     gate* gate) {
  return {
    [=](int n) {
      return co::reply_with<int>(self, block(self, pool, gate, n));
    },
    co::serve_cancel(self),
  };
}

template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(1ms); // bounded poll, no assertion on time
  }
  return false;
}

} // namespace

TEST_CASE("offload runs a blocking call beside its actor", "[co]") {
  live_config config;
  caf::actor_system system{config};
  gate gate;
  gate.opened.set_value();
  co::blocking_pool pool{2};
  auto sut = system.spawn(blocker, &pool, &gate);
  caf::scoped_actor me{system};
  auto value = 0;
  me->request(sut, caf::infinite, 41)
    .receive([&](int x) { value = x; }, [](caf::error&) {});
  CHECK(value == 42);
  auto failed = caf::error{};
  me->request(sut, caf::infinite, -1)
    .receive([](int) {}, [&](caf::error& why) { failed = why; });
  CHECK(to_fault(failed).message == "blocked badly");
}

TEST_CASE("a cancelled caller waits for a blocking call that was accepted",
          "[co]") {
  live_config config;
  caf::actor_system system{config};
  gate gate;
  co::blocking_pool pool{1};
  auto sut = system.spawn(blocker, &pool, &gate);
  caf::scoped_actor me{system};
  auto request = me->request(sut, caf::infinite, 1);
  REQUIRE(eventually([&] { return gate.started == 1; }));
  me->send(sut, co::cancel_request{request.id().request_id().integer_value()});
  // The order of messages makes sure that the cancellation was handled.
  auto ended = -1;
  auto second = std::thread{[&] {
    std::this_thread::sleep_for(20ms);
    ended = gate.ended;
    gate.opened.set_value();
  }};
  auto failed = caf::error{};
  request.receive([](int) {}, [&](caf::error& why) { failed = why; });
  second.join();
  CHECK(to_fault(failed).kind == errc::cancelled);
  CHECK(ended == 0);
  CHECK(gate.ended == 1);
}
