// What a command costs beyond starting the program: through the runner and its
// warden, against posix_spawn and waitpid in this process.

#include "troupe/sandbox/process_runner.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <future>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void bare_spawn(benchmark::State& state) {
  auto name = std::string{"/bin/true"};
  auto argv = std::array{name.data(), static_cast<char*>(nullptr)};
  for (auto _ : state) {
    auto pid = pid_t{-1};
    if (::posix_spawn(&pid, name.c_str(), nullptr, nullptr, argv.data(),
                      environ)
          != 0
        || ::waitpid(pid, nullptr, 0) != pid)
      state.SkipWithError("cannot spawn");
  }
}

void through_runner(benchmark::State& state) {
  auto runner = troupe::make_host_runner();
  if (!runner)
    return state.SkipWithError("no runner");
  // As in a large service: page tables that must not be copied.
  auto resident = std::vector<char>(static_cast<size_t>(state.range(0)) << 20,
                                    'x');
  benchmark::DoNotOptimize(resident.data());
  auto spec = troupe::process_spec{};
  spec.argv = {"/bin/true"};
  spec.directory.assign(1, '/');
  for (auto _ : state) {
    auto done = std::promise<bool>{};
    (*runner)->start(spec, [&](auto result) {
      done.set_value(result && result->status == 0);
    });
    if (!done.get_future().get())
      state.SkipWithError("the command failed");
  }
}

BENCHMARK(bare_spawn)->UseRealTime();
BENCHMARK(through_runner)
  ->ArgName("resident_MiB")
  ->Arg(0)
  ->Arg(1024)
  ->UseRealTime();

} // namespace

BENCHMARK_MAIN();
