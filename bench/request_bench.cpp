// What a request costs between two actors that are coroutines, against the
// same written by hand with `then` and a response promise. Both take turns in
// one run, so that what disturbs one disturbs the other.

#include "support/process_usage.hpp"

#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/task.hpp"
#include "troupe/runtime/messages/register.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"
#include "caf/scoped_actor.hpp"
#include "caf/stateful_actor.hpp"
#include "caf/typed_event_based_actor.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <exception>
#include <utility>

namespace {

using namespace troupe;

/// How many requests a caller makes, one after the other, when it is told to.
constexpr auto requests = int64_t{20'000};

/// Both actors are of this kind: one answers a number with the next, the other
/// asks it that many times.
using number_actor
  = co::cancellable_actor<caf::replies_to<int64_t>::with<int64_t>>;

// -- as coroutines -----------------------------------------------------------

struct co_callee_state {
  co::scope running;
};

using co_callee_ptr = number_actor::stateful_pointer<co_callee_state>;

co::task<int64_t> next_number(co_callee_ptr, int64_t n) {
  co_return n + 1;
}

number_actor::behavior_type co_callee(co_callee_ptr self) {
  return {co::serve(self, next_number), co::serve_cancel(self)};
}

struct co_state {
  number_actor callee;
  co::scope running;
};

using co_ptr = number_actor::stateful_pointer<co_state>;

co::task<int64_t> ask_all(co_ptr self, int64_t count) {
  auto last = int64_t{0};
  while (last < count)
    last = co_await co::request<int64_t>(self, self->state.callee,
                                         caf::infinite, last);
  co_return last;
}

number_actor::behavior_type co_caller(co_ptr self, number_actor callee) {
  self->state.callee = std::move(callee);
  return {co::serve(self, ask_all), co::serve_cancel(self)};
}

// -- by hand -----------------------------------------------------------------

struct plain_state {
  int64_t count = 0;
  number_actor callee;
  caf::typed_response_promise<int64_t> answer;
};

using plain_ptr = number_actor::stateful_pointer<plain_state>;

number_actor::behavior_type plain_callee(plain_ptr self) {
  return {
    [self](int64_t n) {
      auto promise = self->make_response_promise<int64_t>();
      promise.deliver(n + 1);
      return promise;
    },
    [](co::cancel_request) {
      // nop
    },
  };
}

void ask_next(plain_ptr self, int64_t last) {
  self->request(self->state.callee, caf::infinite, last)
    .then([self](int64_t n) {
      if (n < self->state.count) {
        ask_next(self, n);
        return;
      }
      // A promise that stays keeps its actor alive.
      auto answer = std::exchange(self->state.answer, {});
      answer.deliver(n);
    });
}

number_actor::behavior_type plain_caller(plain_ptr self, number_actor callee) {
  self->state.callee = std::move(callee);
  return {
    [self](int64_t count) {
      self->state.count = count;
      self->state.answer = self->make_response_promise<int64_t>();
      ask_next(self, 0);
      return self->state.answer;
    },
    [](co::cancel_request) {
      // nop
    },
  };
}

// -- measuring ---------------------------------------------------------------

/// Processor time of one round, in seconds.
double round_of(caf::scoped_actor& self, const number_actor& caller) {
  auto before = bench::cpu_seconds();
  self->request(caller, caf::infinite, requests)
    .receive(
      [](int64_t) {
        // nop
      },
      [](caf::error&) { std::terminate(); });
  return bench::cpu_seconds() - before;
}

void request(benchmark::State& state, caf::atom_value policy) {
  caf::actor_system_config config;
  register_messages(config);
  config.set("scheduler.policy", policy);
  config.set("scheduler.max-threads", size_t{1});
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  auto by_hand = system.spawn(plain_caller, system.spawn(plain_callee));
  auto coroutine = system.spawn(co_caller, system.spawn(co_callee));
  auto plain = 0.0;
  auto co = 0.0;
  auto count = 0.0;
  for (auto _ : state) {
    plain += round_of(self, by_hand);
    co += round_of(self, coroutine);
    count += static_cast<double>(requests);
  }
  state.SetItemsProcessed(static_cast<int64_t>(count) * 2);
  state.counters["by_hand_ns"] = plain * 1e9 / count;
  state.counters["coroutine_ns"] = co * 1e9 / count;
  state.counters["ratio"] = co / plain;
}

} // namespace

BENCHMARK_CAPTURE(request, sharing, caf::atom("sharing"))->UseRealTime();
BENCHMARK_CAPTURE(request, stealing, caf::atom("stealing"))->UseRealTime();

BENCHMARK_MAIN();
