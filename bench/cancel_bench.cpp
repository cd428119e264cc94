// How long a tree of live agents takes to end: a hundred subagents, each with a
// command in a sandbox that would run for an hour. From `cancel` to the end of
// the run, when every process has to be gone. Beside it, how long it takes to
// kill and reap as many bare processes.

#include "support/team_model.hpp"

#include "troupe/actors/troupe.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>

extern char** environ; // NOLINT: what posix_spawn hands on

namespace {

using namespace troupe;
using clock_type = std::chrono::steady_clock;

constexpr auto agents = 100;

double milliseconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::milli>{clock_type::now() - begin}
    .count();
}

/// Processes of this machine that run the command.
int sleepers() {
  auto result = 0;
  auto failed = std::error_code{};
  for (const auto& entry :
       std::filesystem::directory_iterator{"/proc", failed}) {
    auto line = std::string{};
    auto file = std::ifstream{entry.path() / "cmdline"};
    std::getline(file, line);
    result += line
                  == std::string{"sleep\0"
                                 "3600\0",
                                 11}
                ? 1
                : 0;
  }
  return result;
}

/// Waits until as many run; false when they do not within a minute.
bool await_sleepers(int count) {
  for (auto i = 0; i < 600 && sleepers() < count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  return sleepers() == count;
}

runtime_options options_for(caf::actor_system& system,
                            const std::string& provider) {
  auto result = runtime_options{};
  result.settings.storage.in_memory = true;
  result.settings.permissions.mode = permission_mode::auto_allow;
  result.settings.sandbox.provider = provider;
  result.settings.sandbox.limits.processes = 2 * agents + 100;
  result.models["local"] = system.spawn(bench::team_model);
  auto worker = agent{"worker"};
  worker.model("local:sleep").use("shell");
  auto lead = agent{"lead"};
  lead.model("local:start:" + std::to_string(agents))
    .subagent("one", worker, agents)
    .max_tool_calls(1000);
  result.settings.workspace.provider = "temporary";
  result.agents = {lead};
  return result;
}

void cancel_tree(benchmark::State& state, const char* provider) {
  caf::actor_system_config config;
  register_messages(config);
  caf::actor_system system{config};
  auto took = 0.0;
  {
    runtime host{system, options_for(system, provider)};
    for (auto _ : state) {
      auto request = run_request{};
      request.agent = "lead";
      request.input = "Begin.";
      auto run = host.start(request);
      if (!await_sleepers(agents)) {
        state.SkipWithError("the commands did not start");
        run.close();
        break;
      }
      auto begin = clock_type::now();
      run.cancel();
      run.wait();
      took += milliseconds_since(begin);
      if (sleepers() != 0)
        state.SkipWithError("a process has outlived its run");
    }
  }
  state.counters["cancel_ms"] = took / static_cast<double>(state.iterations());
}

void kill_bare(benchmark::State& state) {
  auto took = 0.0;
  for (auto _ : state) {
    auto children = std::vector<pid_t>(agents);
    char name[] = "sleep";
    char time[] = "3600";
    char* arguments[] = {name, time, nullptr};
    for (auto& child : children)
      if (posix_spawnp(&child, name, nullptr, nullptr, arguments, environ) != 0)
        state.SkipWithError("a process did not start");
    auto begin = clock_type::now();
    for (auto child : children)
      kill(child, SIGKILL);
    for (auto child : children)
      waitpid(child, nullptr, 0);
    took += milliseconds_since(begin);
  }
  state.counters["cancel_ms"] = took / static_cast<double>(state.iterations());
}

BENCHMARK(kill_bare)->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cancel_tree, unrestricted, "unrestricted")
  ->Iterations(5)
  ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cancel_tree, native, "native")
  ->Iterations(5)
  ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
