// What it takes to go on with a conversation of as many records: to read what
// counts of it, and a whole run in it (two model turns and one tool call, the
// model instant). With a summary near the end of the log neither grows with the
// log; without one all of it is sent to the model.

#include "support/bench_folder.hpp"
#include "support/calc_agent.hpp"
#include "support/instant_model.hpp"

#include "troupe/actors/troupe.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/runtime/model/message_record.hpp"
#include "troupe/runtime/run/stored_log.hpp"

#include "caf/actor_system.hpp"
#include "caf/actor_system_config.hpp"

#include <benchmark/benchmark.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace troupe;

// About what a message with a short answer takes.
constexpr size_t text_size = 500;

// What a summary leaves.
constexpr uint64_t kept = 40;

const auto key = session_key{"calc", "long", ""};

storage_settings settings_for(const std::string& folder) {
  auto result = storage_settings{};
  result.path = folder;
  result.durability = durability::relaxed;
  return result;
}

std::unique_ptr<store> open_store(const std::string& folder) {
  auto result = make_lmdb_store(settings_for(folder));
  if (!result)
    throw std::runtime_error{render(to_fault(result.error()))};
  return std::move(*result);
}

session_record said(uint64_t number) {
  auto message = chat_message{};
  message.role = number % 2 == 1 ? message_role::user : message_role::assistant;
  message.text = std::string(text_size, 'x');
  return {0, record_kind::message, 1, encode_message(message)};
}

// A log of `count` records, where `summarized` with a summary near its end.
void fill(store& disk, uint64_t count, bool summarized) {
  auto batch = std::vector<store_commit>(1);
  auto& append = batch[0].sessions.emplace_back();
  append.key = key;
  auto last = count - (summarized ? kept / 2 : 0);
  for (auto i = uint64_t{1}; i <= count; ++i)
    if (summarized && i == last)
      append.records.push_back(
        {0, record_kind::summary, 1,
         encode_summary({std::string(text_size, 's'), i - kept / 2, 0})});
    else
      append.records.push_back(said(i));
  if (auto why = disk.commit(batch))
    throw std::runtime_error{render(to_fault(why))};
}

void session_read(benchmark::State& state, bool summarized) {
  auto folder = bench::bench_folder{};
  auto disk = open_store(folder / "store");
  fill(*disk, static_cast<uint64_t>(state.range(0)), summarized);
  for (auto _ : state) {
    auto session = read_session(*disk, key);
    if (!session)
      state.SkipWithError("the session cannot be read");
    benchmark::DoNotOptimize(session);
  }
}

// Each time in a copy that nobody has in memory: a fork costs a head.
void session_run(benchmark::State& state) {
  auto folder = bench::bench_folder{};
  fill(*open_store(folder / "store"), static_cast<uint64_t>(state.range(0)),
       true);
  auto config = caf::actor_system_config{};
  register_messages(config);
  auto system = caf::actor_system{config};
  auto options = runtime_options{};
  options.settings.storage = settings_for(folder / "store");
  options.models["local"] = system.spawn(bench::instant_model);
  options.agents = {bench::calc_agent("local:instant")};
  auto host = runtime{system, options};
  auto request = bench::calc_request();
  auto copies = 0;
  for (auto _ : state) {
    state.PauseTiming();
    request.session_id = "copy " + std::to_string(++copies);
    if (host.fork_session(key, {"calc", request.session_id, ""}))
      state.SkipWithError("the session cannot be forked");
    state.ResumeTiming();
    auto run = host.ask(request);
    if (run.status != run_status::completed)
      state.SkipWithError(run.error.message.c_str());
  }
}

void session_read_summarized(benchmark::State& state) {
  session_read(state, true);
}

void session_read_whole(benchmark::State& state) {
  session_read(state, false);
}

} // namespace

BENCHMARK(session_read_summarized)
  ->Arg(1'000)
  ->Arg(100'000)
  ->Unit(benchmark::kMicrosecond);
BENCHMARK(session_read_whole)
  ->Arg(1'000)
  ->Arg(100'000)
  ->Unit(benchmark::kMicrosecond);
BENCHMARK(session_run)
  ->Arg(1'000)
  ->Arg(100'000)
  ->Unit(benchmark::kMicrosecond)
  ->UseRealTime();

BENCHMARK_MAIN();
