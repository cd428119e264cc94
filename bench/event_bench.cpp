// How fast the events of a run reach 1, 10 and 100 readers that follow it: a
// model that streams pieces of text, and actors that ask for what is new.

#include "support/process_usage.hpp"

#include "troupe/actors/troupe.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"
#include "caf/event_based_actor.hpp"
#include "caf/stateful_actor.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <future>
#include <memory>
#include <utility>
#include <vector>

namespace {

using namespace troupe;

constexpr auto pieces = 20'000;
constexpr auto at_once = 50;

struct streamer_state {
  int left = pieces;
};

model_stream_actor::behavior_type
streamer(model_stream_actor::stateful_pointer<streamer_state> self) {
  return {
    [self](pull_model_events) {
      auto result = model_batch{};
      auto piece = model_event{};
      piece.text = "word ";
      result.events.assign(at_once, piece);
      self->state.left -= at_once;
      if (self->state.left > 0) {
        result.rest = self;
        return result;
      }
      auto stop = model_event{};
      stop.kind = model_event_kind::stop;
      result.events.push_back(std::move(stop));
      self->quit();
      return result;
    },
    [self](end_work) {
      self->quit();
      return done{};
    },
    [](co::cancel_request) {},
  };
}

model_actor::behavior_type streaming_model(model_actor::pointer self) {
  return {
    [self](const model_request&) {
      auto result = model_batch{};
      result.rest = self->spawn(streamer);
      return result;
    },
    [](co::cancel_request) {},
  };
}

/// Counts down to the end of all readers.
struct tally {
  explicit tally(int readers) : left(readers) {
    // nop
  }

  std::atomic<int> left;
  std::atomic<uint64_t> events = 0;
  std::promise<void> all_done;
};

using tally_ptr = std::shared_ptr<tally>;

void follow(caf::event_based_actor* self, const run_actor& run,
            follow_run_events where, const tally_ptr& out) {
  auto finish = [out] {
    if (--out->left == 0)
      out->all_done.set_value();
  };
  auto take = [self, run, where, out,
               finish](const followed_run_events& batch) mutable {
    out->events += batch.events.size();
    where.position = batch.position;
    for (const auto& event : batch.events)
      if (event->seq > 0)
        where.after = event->seq;
    if (batch.done)
      finish();
    else
      follow(self, run, where, out);
  };
  self->request(run, caf::infinite, where)
    .then(std::move(take), [finish](const caf::error&) { finish(); });
}

void event_throughput(benchmark::State& state) {
  auto readers = static_cast<int>(state.range(0));
  caf::actor_system_config config;
  register_messages(config);
  config.set("scheduler.max-threads", size_t{1});
  caf::actor_system system{config};
  auto cpu = 0.0;
  auto events = uint64_t{0};
  {
    auto options = runtime_options{};
    options.settings.storage.in_memory = true;
    options.models["local"] = system.spawn(streaming_model);
    auto speaker = agent{"speaker"};
    speaker.model("local:any");
    options.agents = {speaker};
    runtime host{system, std::move(options)};
    for (auto _ : state) {
      auto out = std::make_shared<tally>(readers);
      auto before = bench::cpu_seconds();
      auto request = run_request{};
      request.agent = "speaker";
      request.input = "Speak.";
      auto run = host.start(request);
      for (auto i = 0; i < readers; ++i)
        system.spawn([run = run.actor(), out](caf::event_based_actor* self) {
          follow(self, run, {}, out);
        });
      out->all_done.get_future().wait();
      cpu += bench::cpu_seconds() - before;
      events += out->events;
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(events));
  state.counters["cpu_ns_per_event"] = cpu * 1e9 / static_cast<double>(events);
}

BENCHMARK(event_throughput)
  ->Arg(1)
  ->Arg(10)
  ->Arg(100)
  ->Unit(benchmark::kMillisecond)
  ->UseRealTime();

} // namespace

BENCHMARK_MAIN();
