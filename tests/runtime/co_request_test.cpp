#include "support/catch.hpp"
#include "support/counted.hpp"
#include "support/stage.hpp"

#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/sleep.hpp"

#include "caf/all.hpp"

#include <chrono>
#include <stdexcept>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

using number_actor
  = co::cancellable_actor<caf::replies_to<int>::with<std::string>>;

struct plain_state {
  co::scope running;
};

using number_ptr = number_actor::stateful_pointer<plain_state>;

co::task<std::string> answer_number(number_ptr self, int n) {
  if (n < 0)
    throw co::failure{errc::limit, "negative"};
  if (n == 13)
    throw std::runtime_error{"unlucky"};
  for (int i = 0; i < n; ++i)
    co_await co::sleep_for(self, 1s);
  co_return std::to_string(n);
}

number_actor::behavior_type numbers(number_ptr self) {
  return {co::serve(self, answer_number), co::serve_cancel(self)};
}

/// Asks `callee` and keeps something alive while it waits.
struct proxy_state {
  number_actor callee;
  co::scope running;
};

using proxy_ptr = number_actor::stateful_pointer<proxy_state>;

co::task<std::string> forward_number(proxy_ptr self, int n) {
  auto witness = test::counted{};
  auto text = co_await co::request<std::string>(self, self->state.callee, 10s,
                                                n);
  co_return "<" + text + ">";
}

number_actor::behavior_type proxy(proxy_ptr self, number_actor callee) {
  self->state.callee = std::move(callee);
  return {co::serve(self, forward_number), co::serve_cancel(self)};
}

using untyped_ptr = caf::stateful_actor<plain_state>*;

co::task<std::string> print_number(untyped_ptr, int n) {
  co_return std::to_string(n);
}

caf::behavior untyped_numbers(untyped_ptr self) {
  return {co::serve(self, print_number)};
}

co::task<int> ask_forever(untyped_ptr self, caf::actor callee, int n) {
  co_return co_await co::request<int>(self, callee, caf::infinite, n);
}

caf::behavior untyped_proxy(untyped_ptr self, caf::actor callee) {
  return {[self, callee](int n) {
    return co::reply_with<int>(self, ask_forever(self, callee, n));
  }};
}

/// The coroutines that run in a typed actor with `State`.
template <class State>
std::size_t frames_of(const number_actor& who) {
  auto* actor = caf::actor_cast<caf::abstract_actor*>(who);
  auto* pointer = dynamic_cast<number_actor::stateful_pointer<State>>(actor);
  REQUIRE(pointer != nullptr);
  return pointer->state.running.size();
}

fault fault_in(const test::answer<std::string>& answer) {
  REQUIRE(answer->has_value());
  REQUIRE_FALSE((*answer)->engaged());
  return to_fault((*answer)->error());
}

/// Holds every request's promise and never delivers.
caf::behavior
hoarder(caf::stateful_actor<std::vector<caf::response_promise>>* self) {
  return {
    [self](int) {
      self->state.push_back(self->make_response_promise());
      return self->state.back();
    },
  };
}

} // namespace

TEST_CASE("a coroutine handler answers when it ends", "[co]") {
  test::stage stage;
  auto sut = stage.spawn(numbers);
  auto now = stage.ask<std::string>(sut, 0);
  REQUIRE(now->has_value());
  CHECK((*now)->engaged());
  CHECK(***now == "0");
  auto later = stage.ask<std::string>(sut, 2);
  stage.advance(1s);
  CHECK_FALSE(later->has_value());
  stage.advance(1s);
  REQUIRE(later->has_value());
  CHECK(***later == "2");
}

TEST_CASE("an exception of a handler is the caller's error", "[co]") {
  test::stage stage;
  auto sut = stage.spawn(numbers);
  auto failed = fault_in(stage.ask<std::string>(sut, -1));
  CHECK(failed.kind == errc::limit);
  CHECK(failed.message == "negative");
  auto thrown = fault_in(stage.ask<std::string>(sut, 13));
  CHECK(thrown.kind == errc::internal);
  CHECK(thrown.message == "unlucky");
  CHECK((*stage.ask<std::string>(sut, 0))->engaged());
}

TEST_CASE("an untyped actor serves with a coroutine too", "[co]") {
  test::stage stage;
  auto sut = stage.spawn(untyped_numbers);
  auto answer = stage.ask<std::string>(sut, 7);
  REQUIRE(answer->has_value());
  CHECK(***answer == "7");
}

TEST_CASE("killing an actor answers its callers and frees its frames", "[co]") {
  test::stage stage;
  auto callee = stage.spawn(numbers);
  auto sut = stage.spawn(proxy, callee);
  auto answer = stage.ask<std::string>(sut, 100);
  CHECK(test::counted::live() == 1);
  caf::anon_send_exit(sut, caf::exit_reason::kill);
  stage.run();
  CHECK(fault_in(answer).kind == errc::cancelled);
  CHECK(test::counted::live() == 0);
}

TEST_CASE("a callee that dies answers at once", "[co]") {
  test::stage stage;
  auto callee = stage.spawn(numbers);
  auto sut = stage.spawn(proxy, callee);
  auto answer = stage.ask<std::string>(sut, 100);
  caf::anon_send_exit(callee, caf::exit_reason::kill);
  stage.run();
  CHECK(fault_in(answer).kind == errc::cancelled);
  CHECK(test::counted::live() == 0);
  CHECK(fault_in(stage.ask<std::string>(sut, 1)).kind == errc::internal);
}

TEST_CASE("a callee that hoards promises and dies answers at once", "[co]") {
  test::stage stage;
  auto callee = stage.spawn(hoarder);
  auto sut = stage.spawn(untyped_proxy, callee);
  auto answer = stage.ask<int>(sut, 1);
  CHECK_FALSE(answer->has_value());
  caf::anon_send_exit(callee, caf::exit_reason::kill);
  stage.run();
  REQUIRE(answer->has_value());
  CHECK((*answer)->error() == caf::sec::request_receiver_down);
}

TEST_CASE("cancelling a request cancels what it asked for", "[co]") {
  test::stage stage;
  auto leaf = stage.spawn(numbers);
  auto middle = stage.spawn(proxy, leaf);
  auto top = stage.spawn(proxy, middle);
  auto answer = stage.ask<std::string>(top, 100);
  CHECK(test::counted::live() == 2);
  caf::anon_send_exit(top, caf::exit_reason::user_shutdown);
  stage.run();
  CHECK(fault_in(answer).kind == errc::cancelled);
  CHECK(test::counted::live() == 0);
  CHECK(frames_of<plain_state>(leaf) == 0);
}

TEST_CASE("a request times out", "[co]") {
  test::stage stage;
  auto sut = stage.spawn(proxy, stage.spawn(numbers));
  auto answer = stage.ask<std::string>(sut, 100);
  stage.advance(11s);
  CHECK(fault_in(answer).kind == errc::timeout);
}

TEST_CASE("an answered request leaves no timer that keeps the actor alive",
          "[co]") {
  test::stage stage;
  auto callee = stage.spawn(numbers);
  auto weak = caf::actor_addr{};
  {
    auto sut = stage.spawn(proxy, callee);
    weak = sut->address();
    auto answer = stage.ask<std::string>(sut, 0);
    REQUIRE(answer->has_value());
  }
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(weak) == nullptr);
}
