// What containment costs: a command in a warm sandbox and in a container,
// against a bare spawn; in a fresh sandbox, against bubblewrap with the same
// namespaces; many at once; and a large file through the file space, against
// plain system calls. Each is measured in turn with what it is compared to.

#include "support/bench_folder.hpp"
#include "support/bench_image.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/bubblewrap_runner.hpp"
#include "troupe/sandbox/container/container_runner.hpp"
#include "troupe/sandbox/file_space.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace troupe;

constexpr auto command = "/bin/true";

constexpr auto in_images = "/bin/true";

using clock_type = std::chrono::steady_clock;

template <class F>
double seconds(F f) {
  auto before = clock_type::now();
  f();
  return std::chrono::duration<double>(clock_type::now() - before).count();
}

double median(std::vector<double> x) {
  auto middle = x.begin() + static_cast<ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

/// How often in a row, and how long before each.
struct rhythm {
  int row = 10;
  std::chrono::milliseconds pause{0};
};

// Reports the time of `subject`; the medians of both, in milliseconds, and what
// they are to each other.
template <class Subject, class Baseline>
void compare(benchmark::State& state, rhythm by, Subject subject,
             Baseline baseline) {
  auto own = std::vector<double>{};
  auto other = std::vector<double>{};
  subject();
  for (auto _ : state) {
    auto all = 0.0;
    for (auto i = 0; i < by.row; ++i) {
      std::this_thread::sleep_for(by.pause);
      own.push_back(seconds(subject));
      all += own.back();
    }
    // What a subject has begun is not to slow the other down.
    if (by.row > 1 || by.pause.count() > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    for (auto i = 0; i < by.row; ++i)
      other.push_back(seconds(baseline));
    state.SetIterationTime(all / by.row);
  }
  state.counters["median_ms"] = median(own) * 1000;
  state.counters["against_ms"] = median(other) * 1000;
  state.counters["ratio"] = median(own) / median(other);
}

void bare_spawn() {
  bench::spawn_and_wait({command});
}

// The namespaces and the file system of a sandbox of ours, and no filter, limit
// or check.
void bare_bubblewrap() {
  bench::spawn_and_wait({"bwrap",
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

sandbox_settings bubblewrap_policy(bool warm) {
  auto result = sandbox_settings{};
  result.provider = "bubblewrap";
  result.warm = warm;
  return result;
}

caf::expected<std::shared_ptr<process_runner>>
make_runner(std::shared_ptr<const workspace> where,
            const sandbox_settings& policy) {
  if (policy.provider == "bubblewrap") {
    auto host = find_bubblewrap_host();
    if (!host)
      return std::move(host.error());
    return make_bubblewrap_runner(nullptr, *host, std::move(where), policy);
  }
  auto host = find_container_host(policy);
  if (!host)
    return std::move(host.error());
  return make_container_runner(nullptr, *host, std::move(where), policy);
}

/// A sandbox over a folder of its own.
class sandbox {
public:
  explicit sandbox(sandbox_settings policy) : policy_(std::move(policy)) {
    auto where = workspace::open({}, folder_ / "");
    if (!where)
      throw std::runtime_error{"no workspace can be opened here"};
    where_ = *where;
    auto runner = make_runner(where_, policy_);
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
    if (!result)
      throw std::runtime_error{render(to_fault(result.error()))};
    if (result->status != 0)
      throw std::runtime_error{"the command failed"};
    return std::move(*result);
  }

private:
  bench::bench_folder folder_;
  std::shared_ptr<workspace> where_;
  sandbox_settings policy_;
  std::shared_ptr<process_runner> runner_;
};

void warm_command(benchmark::State& state) {
  auto box = sandbox{bubblewrap_policy(true)};
  compare(state, {}, [&] { box.run({command}); }, bare_spawn);
}

// The pause is what a model takes, and less.
void fresh_command(benchmark::State& state) {
  auto box = sandbox{bubblewrap_policy(false)};
  auto by = rhythm{10, std::chrono::milliseconds{state.range(0)}};
  compare(state, by, [&] { box.run({command}); }, bare_bubblewrap);
}

void bubblewrap_command(benchmark::State& state) {
  compare(state, {}, bare_bubblewrap, bare_spawn);
}

void container_command(benchmark::State& state) {
  try {
    auto policy = bench::container_policy();
    policy.warm = true;
    auto box = sandbox{std::move(policy)};
    compare(state, {}, [&] { box.run({in_images}); }, bare_spawn);
  } catch (const std::exception& failed) {
    state.SkipWithError(failed.what());
  }
}

// Commands a second, `width` of them at once in one warm sandbox.
void many_at_once(benchmark::State& state) {
  auto box = sandbox{bubblewrap_policy(true)};
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

/// A large file of lines, and the two ways to it.
class large_file {
public:
  large_file() {
    auto policy = sandbox_settings{};
    policy.limits.read = policy.limits.write = policy.limits.file = 2 * size;
    auto where = workspace::open({}, folder_ / "");
    auto files = where ? make_disk_file_space(*where, policy)
                       : caf::expected<std::unique_ptr<file_space>>{
                           std::move(where.error())};
    if (!files)
      throw std::runtime_error{render(to_fault(files.error()))};
    files_ = std::move(*files);
    while (text_.size() < size)
      text_ += "one line of a file that is a hundred million bytes long\n";
    text_.resize(size);
  }

  void write() {
    auto request = write_file_request{"ours", text_, {digest_}};
    auto done = files_->write(request);
    if (!done)
      throw std::runtime_error{render(to_fault(done.error()))};
    digest_ = done->digest;
  }

  // As lasting, and without a digest.
  void write_plainly() {
    auto path = folder_ / "plain";
    auto fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                     0644);
    auto at = size_t{0};
    while (fd >= 0 && at < text_.size()) {
      auto count = ::write(fd, text_.data() + at, text_.size() - at);
      if (count <= 0)
        break;
      at += static_cast<size_t>(count);
    }
    if (fd < 0 || at < text_.size() || ::fsync(fd) != 0)
      throw std::runtime_error{"cannot write"};
    ::close(fd);
  }

  void read() {
    auto done = files_->read({"ours"});
    if (!done || done->content.size() != text_.size())
      throw std::runtime_error{"the file cannot be read"};
  }

  void read_plainly() {
    auto path = folder_ / "plain";
    auto fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    auto text = std::string(text_.size(), '\0');
    auto at = size_t{0};
    while (fd >= 0 && at < text.size()) {
      auto count = ::read(fd, text.data() + at, text.size() - at);
      if (count <= 0)
        break;
      at += static_cast<size_t>(count);
    }
    if (fd < 0 || at < text.size())
      throw std::runtime_error{"cannot read"};
    ::close(fd);
  }

private:
  static constexpr auto size = size_t{100'000'000};

  bench::bench_folder folder_;
  std::unique_ptr<file_space> files_;
  std::string text_;
  std::string digest_;
};

void large_write(benchmark::State& state) {
  auto file = large_file{};
  compare(state, {1}, [&] { file.write(); }, [&] { file.write_plainly(); });
}

void large_read(benchmark::State& state) {
  auto file = large_file{};
  file.write();
  file.write_plainly();
  compare(state, {1}, [&] { file.read(); }, [&] { file.read_plainly(); });
}

BENCHMARK(bubblewrap_command)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(warm_command)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(fresh_command)
  ->ArgName("pause_ms")
  ->Arg(0)
  ->Arg(50)
  ->Iterations(10)
  ->UseManualTime()
  ->Unit(benchmark::kMillisecond);
BENCHMARK(container_command)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(many_at_once)
  ->ArgName("width")
  ->Arg(1)
  ->Arg(8)
  ->Arg(64)
  ->UseRealTime();
BENCHMARK(large_write)
  ->Iterations(7)
  ->UseManualTime()
  ->Unit(benchmark::kMillisecond);
BENCHMARK(large_read)
  ->Iterations(7)
  ->UseManualTime()
  ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
