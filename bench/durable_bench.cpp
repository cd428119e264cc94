// What durability costs: whole runs (two model turns, one call with effects)
// whose records are on the disk before the call and at the end, against raw
// LMDB that commits the same bytes as often; a turn at several lengths of its
// conversation; and how soon a run that lost its process does something.

#include "support/bench_folder.hpp"
#include "support/calc_agent.hpp"
#include "support/instant_model.hpp"
#include "support/process_usage.hpp"
#include "support/raw_lmdb.hpp"
#include "support/run_load.hpp"

#include "troupe/actors/troupe.hpp"
#include "troupe/runtime/messages/ids.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/run/event_record.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/timestamp.hpp"
#include "troupe/storage/store.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <stdexcept>

namespace {

using namespace troupe;

using bench_clock = std::chrono::steady_clock;

double seconds_since(bench_clock::time_point begin) {
  return std::chrono::duration<double>(bench_clock::now() - begin).count();
}

runtime_options options_for(const std::string& folder, size_t width) {
  auto result = runtime_options{};
  result.settings.storage.path = folder;
  result.settings.concurrency.max_in_flight = static_cast<uint32_t>(width);
  result.settings.permissions.mode = permission_mode::auto_allow;
  result.agents = {bench::calc_agent("local:instant")};
  return result;
}

std::unique_ptr<store> open_store(const std::string& folder) {
  auto settings = storage_settings{};
  settings.path = folder;
  auto result = make_lmdb_store(settings);
  if (!result)
    throw std::runtime_error{render(to_fault(result.error()))};
  return std::move(*result);
}

/// A runtime whose models are actors of its own system.
class host {
public:
  host(const std::string& folder, size_t width) {
    register_messages(config_);
    system_.emplace(config_);
    auto options = options_for(folder, width);
    options.models["local"] = system_->spawn(bench::instant_model);
    runtime_.emplace(*system_, std::move(options));
  }

  caf::actor_system& system() {
    return *system_;
  }

  runtime& get() {
    return *runtime_;
  }

private:
  caf::actor_system_config config_;
  std::optional<caf::actor_system> system_;
  std::optional<runtime> runtime_;
};

/// The bytes that one run left in the store.
size_t bytes_of_a_run(const std::string& folder) {
  auto disk = open_store(folder);
  auto runs = disk->list_runs({}, 1);
  if (!runs || runs->empty())
    throw std::runtime_error{"no run was stored"};
  const auto& head = runs->front();
  auto result = head.details.size() * 2; // at its begin and its end
  auto events = disk->load_events(head.run_id, 0, 1000);
  auto records = disk->load(head.session, 0, 1000);
  if (!events || !records)
    throw std::runtime_error{"the run cannot be read"};
  for (const auto& event : *events)
    result += event.body.size();
  for (const auto& record : *records)
    result += record.body.size();
  return result;
}

// Two commits a run have to be waited for: its call's intent, and its end.
void durable_run(benchmark::State& state) {
  auto width = static_cast<size_t>(state.range(0));
  auto count = width == 1 ? size_t{500} : width * 40;
  auto folder = bench::bench_folder{};
  auto time = 0.0;
  auto runs = size_t{0};
  {
    auto on = host{folder / "store", width};
    auto load = bench::run_load{bench::calc_request(), count, width};
    for (auto _ : state) {
      auto begin = bench_clock::now();
      bench::drive(on.system(), on.get().runs(), load);
      auto taken = seconds_since(begin);
      state.SetIterationTime(taken);
      time += taken;
      runs += count;
    }
  }
  auto body = std::string(bytes_of_a_run(folder / "store") / 2, 'x');
  auto raw = bench::raw_lmdb{folder / "raw.mdb", durability::full};
  auto rounds = std::max<size_t>(1, count / width);
  auto begin = bench_clock::now();
  for (size_t i = 0; i < rounds * 2; ++i)
    raw.append(width, i, body);
  auto raw_rate = static_cast<double>(rounds * width) / seconds_since(begin);
  auto rate = static_cast<double>(runs) / time;
  state.counters["runs_per_s"] = rate;
  state.counters["raw_per_s"] = raw_rate;
  state.counters["ratio"] = rate / raw_rate;
}

/// A conversation of so many messages in the store.
void fill(store& disk, const session_key& key, size_t messages) {
  auto batch = std::vector<store_commit>(1);
  auto& append = batch[0].sessions.emplace_back();
  append.key = key;
  for (size_t i = 0; i < messages; ++i) {
    auto message = chat_message{};
    message.role = i % 2 == 0 ? message_role::user : message_role::assistant;
    message.text = std::string(100, 'x');
    message.at = 1;
    append.records.push_back(
      {0, record_kind::message, 1, encode_message(message)});
  }
  if (auto why = disk.commit(batch))
    throw std::runtime_error{render(to_fault(why))};
}

// CPU, all threads; the disk does not count.
void turn_at_length(benchmark::State& state) {
  auto length = static_cast<size_t>(state.range(0));
  auto folder = bench::bench_folder{};
  auto request = bench::calc_request();
  request.session_id = "long";
  fill(*open_store(folder / "store"), {"calc", "long", ""}, length);
  auto on = host{folder / "store", 1};
  on.get().ask(request); // loads it
  auto cpu = 0.0;
  auto runs = size_t{0};
  for (auto _ : state) {
    auto before = bench::cpu_seconds();
    on.get().ask(request);
    cpu += bench::cpu_seconds() - before;
    ++runs;
  }
  state.counters["cpu_us_per_run"] = cpu * 1e6 / static_cast<double>(runs);
}

/// A run that lost its process after so many records.
std::string interrupt(const std::string& folder, size_t records) {
  auto disk = open_store(folder);
  auto request = bench::calc_request();
  auto key = session_key{"calc", "lost", ""};
  request.session_id = key.session_id;
  fill(*disk, key, records - records % 2 - 1); // the user spoke last
  auto batch = std::vector<store_commit>(1);
  auto& commit = batch[0];
  auto head = run_head{};
  head.run_id = id_maker{}.next(now_micros());
  head.kind = "agent";
  head.name = "calc";
  head.session = key;
  head.status = run_status::running;
  head.created_at = 1;
  head.details = encode_details(request, {});
  head.lease = {"gone", 1, 1};
  commit.run_id = head.run_id;
  commit.epoch = 1;
  commit.begin = head;
  for (uint64_t seq = 1; seq <= records; ++seq) {
    auto event = run_event{};
    event.type = event_type::message_start;
    event.seq = seq;
    commit.events.push_back(make_event_record(event));
  }
  commit.values.push_back({"input", 1, {}});
  if (auto why = disk->commit(batch))
    throw std::runtime_error{render(to_fault(why))};
  auto lost = disk->reconcile(now_micros(),
                              [](const std::string&) { return true; });
  if (!lost || lost->size() != 1)
    throw std::runtime_error{"the run is not interrupted"};
  return head.run_id;
}

// From opening the store to the first event of the run that goes on, and to
// what the model answers.
void resume_of_length(benchmark::State& state) {
  for (auto _ : state) {
    auto folder = bench::bench_folder{};
    auto run_id = interrupt(folder / "store",
                            static_cast<size_t>(state.range(0)));
    auto begin = bench_clock::now();
    auto on = host{folder / "store", 1};
    auto order = resume_run{};
    order.run_id = run_id;
    order.with_events = true;
    auto run = on.get().resume(order);
    while (auto event = run.next())
      if (event->type == event_type::tool_call)
        break;
    state.SetIterationTime(seconds_since(begin));
    run.wait();
  }
}

} // namespace

BENCHMARK(durable_run)->Arg(1)->Arg(64)->Arg(512)->UseManualTime();
BENCHMARK(turn_at_length)->Arg(10)->Arg(100)->Arg(1000)->Arg(5000);
BENCHMARK(resume_of_length)
  ->Arg(10)
  ->Arg(1000)
  ->UseManualTime()
  ->Unit(benchmark::kMillisecond)
  ->Iterations(5);

BENCHMARK_MAIN();
