// What a runtime costs while nothing runs: default settings, its own actor
// system, a store on disk, after one run with a model over HTTP.

#include "support/bench_folder.hpp"
#include "support/calc_agent.hpp"
#include "support/chat_server_process.hpp"
#include "support/process_usage.hpp"

#include "troupe/actors/troupe.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <thread>

namespace {

using namespace troupe;

void idle_runtime(benchmark::State& state) {
  constexpr auto pause = std::chrono::seconds{3};
  auto folder = bench::bench_folder{};
  auto server = bench::chat_server_process{};
  auto options = runtime_options{};
  options.settings.storage.path = folder / "store";
  options.settings.providers["local"].base_url = server.base_url();
  options.agents = {bench::calc_agent("local:fake")};
  runtime host{std::move(options)};
  if (host.ask(bench::calc_request()).status != run_status::completed)
    state.SkipWithError("the run before the pause has failed");
  auto cpu = 0.0;
  for (auto _ : state) {
    auto before = bench::cpu_seconds();
    std::this_thread::sleep_for(pause);
    cpu += bench::cpu_seconds() - before;
  }
  auto seconds = std::chrono::duration<double>{pause}.count()
                 * static_cast<double>(state.iterations());
  state.counters["percent_of_core"] = cpu / seconds * 100;
}

BENCHMARK(idle_runtime)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
