// What one more participant of an assembly costs, by kind: the processor time
// of a run with many less that of a run with one, for each of the others. And
// many runs of an assembly of three at once: how fast, and how much memory.
// Models answer at once and are in this process, storage is in memory.

#include "support/process_usage.hpp"
#include "support/run_load.hpp"
#include "support/team_model.hpp"

#include "troupe/actors/troupe.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

namespace {

using namespace troupe;

constexpr auto many = 17;

/// Puts an assembly, or an agent with helpers, of so many into `out`, under the
/// name "team".
using team_maker = void (*)(int count, runtime_options& out);

agent speaker(const std::string& model = "say") {
  auto result = agent{"speaker"};
  result.model("local:" + model);
  return result;
}

void steps_of(int count, runtime_options& out) {
  auto team = steps{"team"};
  for (auto i = 0; i < count; ++i)
    team.invoke("s" + std::to_string(i), speaker());
  out.assemblies = {team};
}

void graph_of(int count, runtime_options& out) {
  auto team = graph{"team"};
  for (auto i = 0; i < count; ++i) {
    auto name = "n" + std::to_string(i);
    team.node(name, speaker()).finish(name);
    if (i > 0)
      team.edge("n" + std::to_string(i - 1), name);
  }
  out.assemblies = {team};
}

void swarm_of(int count, runtime_options& out) {
  auto team = swarm{"team"};
  team.max_steps(static_cast<uint32_t>(count));
  for (auto i = 0; i < count; ++i) {
    auto name = "m" + std::to_string(i);
    auto next = "m" + std::to_string(i + 1);
    auto is_last = i + 1 == count;
    team.add(name, speaker(is_last ? "say" : "hand:" + next));
    if (!is_last)
      team.handoffs(name, {next});
  }
  out.assemblies = {team};
}

void subagents_of(int count, runtime_options& out) {
  auto lead = agent{"team"};
  lead.model("local:start:" + std::to_string(count))
    .subagent("one", speaker(), static_cast<uint32_t>(count))
    .max_tool_calls(1000);
  out.agents = {lead};
}

class stage {
public:
  stage() {
    register_messages(config_);
    config_.set("scheduler.max-threads", size_t{1});
  }

  runtime_options options(caf::actor_system& system, size_t width) {
    auto result = runtime_options{};
    result.settings.storage.in_memory = true;
    result.settings.concurrency.max_in_flight = static_cast<uint32_t>(width);
    result.models["local"] = system.spawn(bench::team_model);
    return result;
  }

  caf::actor_system_config& config() {
    return config_;
  }

private:
  caf::actor_system_config config_;
};

run_request team_request() {
  auto result = run_request{};
  result.agent = "team";
  result.input = "What is there to say?";
  return result;
}

/// Processor time of one run, in microseconds.
double cost_of(int participants, team_maker make, size_t count) {
  auto here = stage{};
  caf::actor_system system{here.config()};
  auto options = here.options(system, 8);
  make(participants, options);
  runtime host{system, std::move(options)};
  bench::drive(system, host.runs(), {team_request(), count / 10, 8});
  auto before = bench::cpu_seconds();
  bench::drive(system, host.runs(), {team_request(), count, 8});
  return (bench::cpu_seconds() - before) * 1e6 / static_cast<double>(count);
}

void one_more_participant(benchmark::State& state, team_maker make) {
  auto one = 0.0;
  auto all = 0.0;
  for (auto _ : state) {
    one += cost_of(1, make, 2'000);
    all += cost_of(many, make, 500);
  }
  auto rounds = static_cast<double>(state.iterations());
  state.counters["us_a_run_of_one"] = one / rounds;
  state.counters["us_one_more"] = (all - one) / rounds / (many - 1);
}

/// Runs that have all begun and wait for their second participant.
void many_runs(benchmark::State& state) {
  constexpr auto runs = size_t{10'000};
  auto cpu = 0.0;
  auto bytes = 0.0;
  for (auto _ : state) {
    auto here = stage{};
    caf::actor_system system{here.config()};
    auto options = here.options(system, runs);
    steps_of(3, options);
    runtime host{system, std::move(options)};
    bench::drive(system, host.runs(), {team_request(), 100, 8});
    auto allocated = bench::settled_memory().allocated;
    auto before = bench::cpu_seconds();
    bench::drive(system, host.runs(), {team_request(), runs, runs});
    cpu += bench::cpu_seconds() - before;
    bytes += bench::settled_memory().allocated - allocated;
  }
  auto total = static_cast<double>(state.iterations()) * runs;
  state.SetItemsProcessed(static_cast<int64_t>(total));
  state.counters["cpu_us_per_run"] = cpu * 1e6 / total;
  state.counters["stored_bytes_per_run"] = bytes / total;
}

BENCHMARK_CAPTURE(one_more_participant, steps, steps_of)
  ->Iterations(1)
  ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_more_participant, graph, graph_of)
  ->Iterations(1)
  ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_more_participant, swarm, swarm_of)
  ->Iterations(1)
  ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_more_participant, subagents, subagents_of)
  ->Iterations(1)
  ->Unit(benchmark::kMillisecond);
BENCHMARK(many_runs)
  ->Iterations(1)
  ->Unit(benchmark::kMillisecond)
  ->UseRealTime();

} // namespace

BENCHMARK_MAIN();
