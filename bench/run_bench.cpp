// What a whole run costs beside its model: two model turns and one tool call,
// the model instant and in this process, storage in memory, events read.

#include "troupe/actors/troupe.hpp"
#include "troupe/runtime/co/quiet_scheduler.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"
#include "caf/event_based_actor.hpp"
#include "caf/stateful_actor.hpp"

#include <benchmark/benchmark.h>
#include <boost/describe.hpp>

#include <future>

#include <sys/resource.h>

namespace {

using namespace troupe;

struct sum {
  double a = 0;
  double b = 0;
};

BOOST_DESCRIBE_STRUCT(sum, (), (a, b))

double add(sum x) {
  return x.a + x.b;
}

model_event stop_for(stop_reason why) {
  auto result = model_event{};
  result.kind = model_event_kind::stop;
  result.stop = why;
  return result;
}

/// Asks for the tool first and answers when it sees a result.
model_batch answer(const model_request& request) {
  auto result = model_batch{};
  auto event = model_event{};
  if (request.messages.back()->role == message_role::tool) {
    event.kind = model_event_kind::text_delta;
    event.text = "The sum of the two numbers is 5.";
    result.events.push_back(std::move(event));
    result.events.push_back(stop_for(stop_reason::end_turn));
    return result;
  }
  event.kind = model_event_kind::tool_call;
  event.call = {"call_1", "add", R"({"a":2,"b":3})", {}};
  result.events.push_back(std::move(event));
  result.events.push_back(stop_for(stop_reason::tool_use));
  return result;
}

model_actor::behavior_type instant_model(model_actor::pointer) {
  return {
    [](const model_request& x) { return answer(x); },
    [](co::cancel_request) {},
  };
}

/// Keeps `width` runs in flight until `left` have been started, reading the
/// events of each to its end.
struct driver_state {
  run_registry_actor runs;
  size_t left = 0;
  size_t open = 0;
  std::promise<void>* done = nullptr;
};

using driver_ptr = caf::stateful_actor<driver_state>*;

void start_one(driver_ptr self);

void read_on(driver_ptr self, const run_actor& run) {
  self->request(run, caf::infinite, pull_run_events{})
    .then([self, run](const run_event_batch& batch) {
      if (!batch.done) {
        read_on(self, run);
        return;
      }
      --self->state.open;
      if (self->state.left > 0)
        start_one(self);
      else if (self->state.open == 0)
        self->state.done->set_value();
    });
}

void start_one(driver_ptr self) {
  auto& state = self->state;
  --state.left;
  ++state.open;
  auto request = run_request{};
  request.agent = "calc";
  request.input = "What is 2 plus 3?";
  request.with_events = true;
  self->request(state.runs, caf::infinite, start_run{std::move(request)})
    .then([self](const run_handle& x) { read_on(self, x.run); });
}

caf::behavior drive(driver_ptr self, run_registry_actor runs, size_t count,
                    size_t width, std::promise<void>* done) {
  self->state = {std::move(runs), count, 0, done};
  for (size_t i = 0; i < width; ++i)
    start_one(self);
  return {[](caf::unit_t) {}};
}

double cpu_seconds() {
  auto usage = rusage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& x) {
    return static_cast<double>(x.tv_sec)
           + static_cast<double>(x.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

runtime_options options_for(caf::actor_system& system, size_t width) {
  auto result = runtime_options{};
  result.settings.storage.in_memory = true;
  result.settings.concurrency.max_in_flight = static_cast<uint32_t>(width);
  result.models["local"] = system.spawn(instant_model);
  auto calc = agent{"calc"};
  calc.model("local:instant").system_prompt("You are a helpful assistant.");
  calc.use(make_tool("add", "Adds two numbers.", add));
  result.agents = {calc};
  return result;
}

void whole_run(benchmark::State& state) {
  auto width = static_cast<size_t>(state.range(0));
  constexpr auto count = size_t{20'000};
  caf::actor_system_config config;
  register_messages(config);
  co::use_quiet_scheduler(config);
  config.set("scheduler.max-threads", size_t{1});
  caf::actor_system system{config};
  auto cpu = 0.0;
  auto runs = size_t{0};
  {
    runtime host{system, options_for(system, width)};
    for (auto _ : state) {
      auto done = std::promise<void>{};
      auto before = cpu_seconds();
      system.spawn(drive, host.runs(), count, width, &done);
      done.get_future().wait();
      cpu += cpu_seconds() - before;
      runs += count;
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(runs));
  state.counters["cpu_us_per_run"] = cpu * 1e6 / static_cast<double>(runs);
}

} // namespace

BENCHMARK(whole_run)
  ->Arg(1)
  ->Arg(64)
  ->Unit(benchmark::kMillisecond)
  ->UseRealTime();

BENCHMARK_MAIN();
