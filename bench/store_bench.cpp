// Durable appends of the session store against raw LMDB: the same bytes under
// keys of the same size, in as many commits, in turn. `ratio` is what the
// store reaches of raw LMDB's appends a second.

#include "support/bench_folder.hpp"
#include "support/raw_lmdb.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/storage/store.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace troupe;

using bench_clock = std::chrono::steady_clock;

// About what a message with a short answer takes.
constexpr size_t body_size = 500;

std::unique_ptr<store> open_store(const std::string& folder, durability how) {
  auto settings = storage_settings{};
  settings.path = folder;
  settings.durability = how;
  auto result = make_lmdb_store(settings);
  if (!result)
    throw std::runtime_error{render(to_fault(result.error()))};
  return std::move(*result);
}

std::vector<store_commit> batch_of(uint64_t sessions, const std::string& body) {
  auto result = std::vector<store_commit>{};
  for (uint64_t session = 0; session < sessions; ++session)
    result.emplace_back().sessions.push_back(
      {{"guide", "session-" + std::to_string(session), ""},
       {{0, record_kind::message, 1, body}}});
  return result;
}

template <class Fun>
double seconds_of(Fun fun) {
  auto begin = bench_clock::now();
  fun();
  auto duration = bench_clock::now() - begin;
  return std::chrono::duration<double>(duration).count();
}

// The time is the store's.
void append_to_store(benchmark::State& state, durability how) {
  auto sessions = static_cast<uint64_t>(state.range(0));
  auto folder = bench::bench_folder{};
  auto body = std::string(body_size, 'x');
  auto raw = bench::raw_lmdb{folder / "raw.mdb", how};
  auto store = open_store(folder / "store", how);
  auto batch = batch_of(sessions, body);
  auto raw_time = 0.0;
  auto store_time = 0.0;
  auto seq = uint64_t{0};
  for (auto _ : state) {
    ++seq;
    raw_time += seconds_of([&] { raw.append(sessions, seq, body); });
    auto time = seconds_of([&] {
      if (auto why = store->commit(batch))
        state.SkipWithError(render(to_fault(why)).c_str());
    });
    store_time += time;
    state.SetIterationTime(time);
  }
  auto count = static_cast<double>(sessions * seq);
  state.counters["raw_per_s"] = count / raw_time;
  state.counters["store_per_s"] = count / store_time;
  state.counters["ratio"] = raw_time / store_time;
}

void store_append_full(benchmark::State& state) {
  append_to_store(state, durability::full);
}

void store_append_relaxed(benchmark::State& state) {
  append_to_store(state, durability::relaxed);
}

// A whole conversation of as many records, in pages of 100.
void store_load(benchmark::State& state) {
  auto count = static_cast<uint64_t>(state.range(0));
  auto folder = bench::bench_folder{};
  auto store = open_store(folder / "store", durability::relaxed);
  auto batch = batch_of(1, std::string(body_size, 'x'));
  auto& [key, records] = batch[0].sessions[0];
  records.resize(count, records[0]);
  if (auto why = store->commit(batch))
    state.SkipWithError(render(to_fault(why)).c_str());
  for (auto _ : state)
    for (uint64_t seq = 0; seq < count; seq += 100) {
      auto page = store->load(key, seq, 100);
      benchmark::DoNotOptimize(page);
    }
  state.SetItemsProcessed(
    static_cast<int64_t>(count * static_cast<uint64_t>(state.iterations())));
}

} // namespace

BENCHMARK(store_append_full)->Arg(1)->Arg(64)->UseManualTime();
BENCHMARK(store_append_relaxed)->Arg(1)->Arg(64)->UseManualTime();
BENCHMARK(store_load)->Arg(1000);

BENCHMARK_MAIN();
