// Whole runs over HTTP on loopback, streamed, against a bare libcurl client
// that sends the same requests: two model turns and one tool call, storage in
// memory, events not read. Both in this process, in turn, so that what else
// the machine does meets both; the server is another process.

#include "support/bare_client.hpp"
#include "support/calc_agent.hpp"
#include "support/chat_server_process.hpp"
#include "support/process_usage.hpp"
#include "support/run_load.hpp"

#include "troupe/actors/troupe.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

namespace {

using namespace troupe;

constexpr auto slice = size_t{4000};

struct cost {
  double seconds = 0;
  double cpu = 0;
};

/// Adds what `fun` takes to `total`; gives the time.
template <class Fun>
double measure(cost& total, Fun fun) {
  auto begin = std::chrono::steady_clock::now();
  auto cpu = bench::cpu_seconds();
  fun();
  total.cpu += bench::cpu_seconds() - cpu;
  auto time = std::chrono::steady_clock::now() - begin;
  auto seconds = std::chrono::duration<double>{time}.count();
  total.seconds += seconds;
  return seconds;
}

runtime_options options_for(const std::string& base_url, size_t width) {
  auto result = runtime_options{};
  auto& settings = result.settings;
  settings.storage.in_memory = true;
  settings.concurrency.max_in_flight = static_cast<uint32_t>(width);
  auto& provider = settings.providers["local"];
  provider.base_url = base_url;
  provider.max_in_flight = static_cast<uint32_t>(width);
  result.agents = {bench::calc_agent("local:fake")};
  return result;
}

// The time is troupe's.
void run_over_http(benchmark::State& state) {
  auto width = static_cast<size_t>(state.range(0));
  auto server = bench::chat_server_process{};
  auto bare = bench::bare_client{server.base_url()};
  runtime host{options_for(server.base_url(), width)};
  auto use_bare = [&] { bare.drive(slice, width); };
  auto use_troupe = [&] {
    bench::drive(host.system(), host.runs(),
                 {bench::calc_request(), slice, width});
  };
  // Opens the connections.
  use_bare();
  use_troupe();
  auto bare_cost = cost{};
  auto troupe_cost = cost{};
  for (auto _ : state) {
    measure(bare_cost, use_bare);
    state.SetIterationTime(measure(troupe_cost, use_troupe));
  }
  auto runs = static_cast<double>(state.iterations()) * slice;
  state.counters["runs_per_s"] = runs / troupe_cost.seconds;
  state.counters["bare_runs_per_s"] = runs / bare_cost.seconds;
  state.counters["ratio"] = bare_cost.seconds / troupe_cost.seconds;
  state.counters["cpu_us_per_run"] = troupe_cost.cpu * 1e6 / runs;
  state.counters["bare_cpu_us_per_run"] = bare_cost.cpu * 1e6 / runs;
}

BENCHMARK(run_over_http)
  ->ArgName("in_flight")
  ->Arg(16)
  ->Arg(256)
  ->Unit(benchmark::kMillisecond)
  ->MinTime(3)
  ->UseManualTime();

} // namespace

BENCHMARK_MAIN();
