#include "support/catch.hpp"
#include "support/counted.hpp"
#include "support/stage.hpp"

#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/co/task.hpp"

#include "caf/all.hpp"

#include <chrono>
#include <functional>
#include <string>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// What coroutines wait for, and what became of it.
struct record {
  co::event event;
  std::string log;
};

struct host_state {
  co::scope running;
};

using host_ptr = caf::stateful_actor<host_state>*;
using step = std::function<void(host_ptr)>;

/// Runs whatever it is sent.
caf::behavior host(host_ptr self, step* next) {
  return {[self, next](caf::ok_atom) { (*next)(self); }};
}

co::task<void> wait(host_ptr self, record* out, char name) {
  auto witness = test::counted{};
  co_await out->event.wait(self);
  out->log += name;
}

co::task<void> wait_for(host_ptr self, record* out, caf::timespan limit) {
  auto witness = test::counted{};
  auto came = co_await out->event.wait_for(self, limit);
  out->log += came ? '+' : '-';
}

co::task<void> wait_again(host_ptr self, record* out) {
  co_await out->event.wait(self);
  out->event.reset();
  out->log += '1';
  co_await out->event.wait(self);
  out->log += '2';
}

co::task<void> cancel_rest(host_ptr self, record* out) {
  co_await out->event.wait(self);
  self->state.running.cancel({2, 0});
  out->log += 'c';
}

struct fixture {
  void run(step what) {
    next = std::move(what);
    stage.send(actor, caf::ok_atom::value);
  }

  void spawn(std::function<co::task<void>(host_ptr)> body,
             co::frame_key key = {1, 0}) {
    run(
      [&](host_ptr self) { self->state.running.spawn(self, key, body(self)); });
  }

  record out;
  step next;
  test::stage stage;
  caf::actor actor = stage.spawn(host, &next);
};

} // namespace

TEST_CASE("an event resumes all who wait in the order they came", "[co]") {
  fixture it;
  for (auto name : {'a', 'b', 'c'})
    it.spawn([&](host_ptr self) { return wait(self, &it.out, name); });
  CHECK(it.out.log.empty());
  it.run([&](host_ptr) { it.out.event.set(); });
  CHECK(it.out.log == "abc");
  it.spawn([&](host_ptr self) { return wait(self, &it.out, 'd'); });
  CHECK(it.out.log == "abcd");
  CHECK(test::counted::live() == 0);
}

TEST_CASE("waiting for an event ends with its time", "[co]") {
  fixture it;
  it.spawn([&](host_ptr self) { return wait_for(self, &it.out, 2s); });
  it.spawn([&](host_ptr self) { return wait_for(self, &it.out, 4s); });
  it.spawn([&](host_ptr self) { return wait_for(self, &it.out, 0s); });
  CHECK(it.out.log == "-");
  it.stage.advance(2s);
  CHECK(it.out.log == "--");
  it.run([&](host_ptr) { it.out.event.set(); });
  CHECK(it.out.log == "--+");
  it.stage.advance(10s);
  CHECK(it.out.log == "--+");
}

TEST_CASE("who waits again waits for the next time", "[co]") {
  fixture it;
  it.spawn([&](host_ptr self) { return wait_again(self, &it.out); });
  it.run([&](host_ptr) { it.out.event.set(); });
  CHECK(it.out.log == "1");
  it.run([&](host_ptr) { it.out.event.set(); });
  CHECK(it.out.log == "12");
}

TEST_CASE("who is cancelled by another waiter is not resumed", "[co]") {
  fixture it;
  it.spawn([&](host_ptr self) { return cancel_rest(self, &it.out); });
  it.spawn([&](host_ptr self) { return wait(self, &it.out, 'x'); }, {2, 0});
  it.run([&](host_ptr) { it.out.event.set(); });
  CHECK(it.out.log == "c");
  CHECK(test::counted::live() == 0);
}

TEST_CASE("a cancelled coroutine no longer waits for its event", "[co]") {
  fixture it;
  it.spawn([&](host_ptr self) { return wait_for(self, &it.out, 9s); });
  it.run([&](host_ptr self) { self->state.running.cancel({1, 0}); });
  CHECK(test::counted::live() == 0);
  it.run([&](host_ptr) { it.out.event.set(); });
  it.stage.advance(10s);
  CHECK(it.out.log.empty());
}
