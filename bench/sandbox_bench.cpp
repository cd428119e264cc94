// What containment costs a command: in a warm sandbox and in a fresh one,
// against a bare spawn and against bubblewrap with the same namespaces; many at
// once; and a large file through a command's pipes.

#include "support/bench_folder.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/bubblewrap_runner.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <future>
#include <latch>
#include <stdexcept>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace troupe;

constexpr auto command = "/bin/true";

void spawn_and_wait(std::vector<std::string> words) {
  auto argv = std::vector<char*>{};
  for (auto& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  auto pid = pid_t{-1};
  if (::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0
      || ::waitpid(pid, nullptr, 0) != pid)
    throw std::runtime_error{"cannot spawn"};
}

void bare_spawn(benchmark::State& state) {
  for (auto _ : state)
    spawn_and_wait({command});
}

// The namespaces and the file system of a sandbox of ours, and no filter, limit
// or check.
void bare_bubblewrap(benchmark::State& state) {
  for (auto _ : state)
    spawn_and_wait({"bwrap",
                    "--unshare-all",
                    "--die-with-parent",
                    "--new-session",
                    "--cap-drop",
                    "ALL",
                    "--ro-bind",
                    "/usr",
                    "/usr",
                    "--symlink",
                    "usr/bin",
                    "/bin",
                    "--symlink",
                    "usr/lib",
                    "/lib",
                    "--symlink",
                    "usr/lib64",
                    "/lib64",
                    "--proc",
                    "/proc",
                    "--dev",
                    "/dev",
                    "--tmpfs",
                    "/tmp",
                    "--bind",
                    ".",
                    "/work",
                    "--chdir",
                    "/work",
                    command});
}

/// A sandbox over a folder of its own.
class sandbox {
public:
  explicit sandbox(bool warm) {
    auto host = find_bubblewrap_host();
    auto where = workspace::open({}, folder_ / "");
    if (!host || !where)
      throw std::runtime_error{"no sandbox can be opened here"};
    where_ = *where;
    policy_.provider = "bubblewrap";
    policy_.warm = warm;
    auto runner = make_bubblewrap_runner(nullptr, *host, where_, policy_);
    if (!runner)
      throw std::runtime_error{render(to_fault(runner.error()))};
    runner_ = *runner;
  }

  void start(std::vector<std::string> argv, process_done done) {
    auto request = process_request{};
    request.argv = std::move(argv);
    auto spec = plan_process(request, *where_, policy_, {},
                             containment::sandbox);
    if (!spec)
      throw std::runtime_error{render(to_fault(spec.error()))};
    runner_->start(std::move(*spec), std::move(done));
  }

  process_result run(std::vector<std::string> argv) {
    auto done = std::promise<caf::expected<process_result>>{};
    start(std::move(argv),
          [&](auto result) { done.set_value(std::move(result)); });
    auto result = done.get_future().get();
    if (!result || result->status != 0)
      throw std::runtime_error{"the command failed"};
    return std::move(*result);
  }

private:
  bench::bench_folder folder_;
  std::shared_ptr<workspace> where_;
  sandbox_settings policy_;
  std::shared_ptr<process_runner> runner_;
};

void in_sandbox(benchmark::State& state) {
  auto box = sandbox{state.range(0) != 0};
  box.run({command});
  for (auto _ : state)
    box.run({command});
}

// Commands a second, `width` of them at once in one warm sandbox.
void many_at_once(benchmark::State& state) {
  auto box = sandbox{true};
  box.run({command});
  auto width = state.range(0);
  for (auto _ : state) {
    auto left = std::latch{width};
    for (auto i = int64_t{0}; i < width; ++i)
      box.start({command}, [&left](auto) { left.count_down(); });
    left.wait();
  }
  state.SetItemsProcessed(state.iterations() * width);
}

BENCHMARK(bare_spawn)->UseRealTime();
BENCHMARK(bare_bubblewrap)->UseRealTime();
BENCHMARK(in_sandbox)->ArgName("warm")->Arg(1)->Arg(0)->UseRealTime();
BENCHMARK(many_at_once)
  ->ArgName("width")
  ->Arg(1)
  ->Arg(8)
  ->Arg(64)
  ->UseRealTime();

} // namespace

BENCHMARK_MAIN();
