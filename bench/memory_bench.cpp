// What sessions and runs take while they wait, in bytes for each: as resident
// pages of the process's own, and as the allocator counts them. Each subject is
// measured in a process of its own, where nothing that was freed can be used
// again.

#include "support/bench_folder.hpp"
#include "support/calc_agent.hpp"
#include "support/process_usage.hpp"

#include "troupe/actors/session/session_registry.hpp"
#include "troupe/actors/store/store.hpp"
#include "troupe/actors/troupe.hpp"
#include "troupe/storage/store.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"
#include "caf/event_based_actor.hpp"
#include "caf/scoped_actor.hpp"
#include "caf/stateful_actor.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace troupe;

constexpr auto sessions = size_t{20'000};
constexpr auto runs = size_t{5'000};
constexpr auto stored = size_t{1'000};

/// What memory grows by from here on, for each of `count` things.
class growth_meter {
public:
  explicit growth_meter(size_t count) : count_(static_cast<double>(count)) {
    // nop
  }

  bench::memory_use growth() const {
    auto now = bench::settled_memory();
    return {(now.resident - before_.resident) / count_,
            (now.allocated - before_.allocated) / count_};
  }

private:
  double count_;
  bench::memory_use before_ = bench::settled_memory();
};

/// Where a subject's process leaves its figures. It ends at once: what it has
/// built up is not worth taking down.
class report {
public:
  explicit report(int pipe) : pipe_(pipe) {
    // nop
  }

  void operator()(const growth_meter& meter) const {
    auto result = meter.growth();
    auto written = write(pipe_, &result, sizeof(result));
    _exit(written == sizeof(result) ? 0 : 1);
  }

private:
  int pipe_;
};

struct quiet_system {
  quiet_system() {
    register_messages(config);
    config.set("scheduler.max-threads", size_t{1});
  }

  caf::actor_system_config config;
};

using subject = void (*)(report, const bench::bench_folder&);

void bare_actor(report done, const bench::bench_folder&) {
  auto quiet = quiet_system{};
  caf::actor_system system{quiet.config};
  auto actors = std::vector<caf::actor>{};
  actors.reserve(sessions);
  auto meter = growth_meter{sessions};
  for (size_t i = 0; i < sessions; ++i)
    actors.push_back(system.spawn([](caf::event_based_actor*) -> caf::behavior {
      return {[](int x) { return x; }};
    }));
  done(meter);
}

/// Sessions over one store, each used for a turn.
class session_world {
public:
  session_world(std::unique_ptr<store> records, caf::timespan idle_after) {
    using holder = std::unique_ptr<store>;
    auto shared = std::make_shared<holder>(std::move(records));
    auto store = system_.spawn(store_behavior, std::move(shared));
    registry_ = system_.spawn(session_registry_behavior,
                              session_registry_spec{store, idle_after});
    use("first");
  }

  void use(const std::string& id) {
    auto key = session_key{"calc", "session-" + id, {}};
    auto run_id = "run-" + id;
    self_->request(registry_, caf::infinite, open_turn{key, run_id})
      .receive([](const session_turn&) {}, [](const caf::error&) {});
    self_->send(registry_, close_turn{key, run_id, true, {}, "{}"});
  }

  size_t actors() {
    return system_.registry().running();
  }

private:
  quiet_system quiet_;
  caf::actor_system system_{quiet_.config};
  session_registry_actor registry_;
  caf::scoped_actor self_{system_};
};

void idle_session(report done, const bench::bench_folder&) {
  auto world = session_world{make_memory_store(), std::chrono::hours{1}};
  auto meter = growth_meter{sessions};
  for (size_t i = 0; i < sessions; ++i)
    world.use(std::to_string(i));
  done(meter);
}

// They have left memory when no more actors run than before the first.
void passivated_session(report done, const bench::bench_folder& folder) {
  auto settings = storage_settings{};
  settings.path = folder / "store";
  auto disk = make_lmdb_store(settings);
  if (!disk)
    _exit(1);
  auto world = session_world{std::move(*disk), std::chrono::milliseconds{50}};
  auto rest = [&world](size_t actors) {
    while (world.actors() > actors)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
  };
  auto actors = world.actors() - 1; // without the first session
  rest(actors);
  auto meter = growth_meter{stored};
  for (size_t i = 0; i < stored; ++i)
    world.use(std::to_string(i));
  rest(actors);
  done(meter);
}

constexpr auto write_call = R"(cassette: 1
exchanges:
  - reply:
      tool_calls:
        - {id: c1, name: write_file, arguments: {path: a.txt, content: x}}
)";

// Each waits for a person to decide about its call.
void suspended_run(report done, const bench::bench_folder& folder) {
  auto cassette = folder / "write.cassette.yaml";
  std::ofstream{cassette} << write_call;
  auto options = runtime_options{};
  options.settings.storage.path = folder / "store";
  options.settings.permissions.mode = permission_mode::approve;
  options.agents
    = {agent{"scribe"}.model("cassette:" + cassette).use("write_file")};
  runtime host{std::move(options)};
  auto request = run_request{};
  request.agent = "scribe";
  request.input = "Write a.txt.";
  auto suspend = [&] {
    if (host.ask(request).status != run_status::suspended)
      _exit(1);
  };
  suspend();
  auto meter = growth_meter{stored};
  for (size_t i = 0; i < stored; ++i)
    suspend();
  done(meter);
}

struct silent_model_state {
  std::vector<caf::typed_response_promise<model_batch>> asked;
};

model_actor::behavior_type
silent_model(model_actor::stateful_pointer<silent_model_state> self,
             std::promise<void>* all_asked) {
  self->state.asked.reserve(runs);
  return {
    [self, all_asked](const model_request&) {
      auto& asked = self->state.asked;
      asked.push_back(self->make_response_promise<model_batch>());
      if (asked.size() == runs)
        all_asked->set_value();
      return asked.back();
    },
    [](co::cancel_request) {},
  };
}

void waiting_run(report done, const bench::bench_folder&) {
  auto quiet = quiet_system{};
  caf::actor_system system{quiet.config};
  auto all_asked = std::promise<void>{};
  auto options = runtime_options{};
  options.settings.storage.in_memory = true;
  options.settings.concurrency.max_in_flight = runs;
  options.models["local"] = system.spawn(silent_model, &all_asked);
  options.agents = {bench::calc_agent("local:silent")};
  runtime host{system, std::move(options)};
  caf::scoped_actor self{system};
  auto meter = growth_meter{runs};
  for (size_t i = 0; i < runs; ++i)
    self
      ->request(host.runs(), caf::infinite,
                start_run{bench::calc_request(), {}, {}})
      .receive([](const run_handle&) {}, [](const caf::error&) {});
  all_asked.get_future().wait();
  done(meter);
}

/// Runs `measure` in a process of its own; this one has no threads.
void memory_of(benchmark::State& state, subject measure) {
  auto folder = bench::bench_folder{};
  auto use = bench::memory_use{};
  for (auto _ : state) {
    auto ends = std::array<int, 2>{};
    if (pipe(ends.data()) != 0)
      return state.SkipWithError("no pipe");
    auto pid = fork();
    if (pid == 0)
      measure(report{ends[1]}, folder);
    close(ends[1]);
    auto count = read(ends[0], &use, sizeof(use));
    close(ends[0]);
    waitpid(pid, nullptr, 0);
    if (count != sizeof(use))
      return state.SkipWithError("the measured process has failed");
  }
  state.counters["resident"] = use.resident;
  state.counters["allocated"] = use.allocated;
}

BENCHMARK_CAPTURE(memory_of, bare_actor, bare_actor)->Iterations(1);
BENCHMARK_CAPTURE(memory_of, idle_session, idle_session)->Iterations(1);
BENCHMARK_CAPTURE(memory_of, passivated_session, passivated_session)
  ->Iterations(1);
BENCHMARK_CAPTURE(memory_of, waiting_run, waiting_run)->Iterations(1);
BENCHMARK_CAPTURE(memory_of, suspended_run, suspended_run)->Iterations(1);

} // namespace

BENCHMARK_MAIN();
