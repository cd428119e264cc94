// What a whole run costs beside its model: two model turns and one tool call,
// the model instant and in this process, storage in memory, events read.

#include "support/calc_agent.hpp"
#include "support/instant_model.hpp"
#include "support/process_usage.hpp"
#include "support/run_load.hpp"

#include "troupe/actors/troupe.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace troupe;

runtime_options options_for(caf::actor_system& system, size_t width) {
  auto result = runtime_options{};
  result.settings.storage.in_memory = true;
  result.settings.concurrency.max_in_flight = static_cast<uint32_t>(width);
  result.models["local"] = system.spawn(bench::instant_model);
  result.agents = {bench::calc_agent("local:instant")};
  return result;
}

void whole_run(benchmark::State& state) {
  auto width = static_cast<size_t>(state.range(0));
  auto load = bench::run_load{bench::calc_request(), 20'000, width};
  load.request.with_events = true;
  caf::actor_system_config config;
  register_messages(config);
  config.set("scheduler.max-threads", size_t{1});
  caf::actor_system system{config};
  auto cpu = 0.0;
  auto runs = size_t{0};
  {
    runtime host{system, options_for(system, width)};
    for (auto _ : state) {
      auto before = bench::cpu_seconds();
      bench::drive(system, host.runs(), load);
      cpu += bench::cpu_seconds() - before;
      runs += load.count;
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
