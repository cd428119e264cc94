// Durable appends of the session store against raw LMDB: the same bytes under
// keys of the same size, in as many commits, in turn. `ratio` is what the
// store reaches of raw LMDB's appends a second.

#include "support/bench_folder.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/storage/big_endian.hpp"
#include "troupe/storage/store.hpp"

#include <benchmark/benchmark.h>
#include <lmdb.h>

#include <array>
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

void require(int code) {
  if (code != 0)
    throw std::runtime_error{mdb_strerror(code)};
}

class raw_lmdb {
public:
  raw_lmdb(const std::string& path, durability how) {
    auto* env = static_cast<MDB_env*>(nullptr);
    require(mdb_env_create(&env));
    env_.reset(env);
    require(mdb_env_set_mapsize(env, size_t{4} << 30));
    require(mdb_env_set_maxdbs(env, 1));
    auto flags = unsigned{MDB_NOSUBDIR | MDB_NOTLS};
    if (how == durability::relaxed)
      flags |= MDB_NOMETASYNC;
    require(mdb_env_open(env, path.c_str(), flags, 0600));
    auto* txn = static_cast<MDB_txn*>(nullptr);
    require(mdb_txn_begin(env, nullptr, 0, &txn));
    require(mdb_dbi_open(txn, "records", MDB_CREATE, &table_));
    require(mdb_txn_commit(txn));
  }

  // One record for each of `sessions`, in one commit.
  void append(uint64_t sessions, uint64_t seq, const std::string& body) {
    auto* txn = static_cast<MDB_txn*>(nullptr);
    require(mdb_txn_begin(env_.get(), nullptr, 0, &txn));
    for (uint64_t session = 0; session < sessions; ++session) {
      auto bytes = std::array<char, 16>{};
      put_big_endian(put_big_endian(bytes.data(), session), seq);
      auto key = MDB_val{bytes.size(), bytes.data()};
      auto value = MDB_val{body.size(), const_cast<char*>(body.data())};
      require(mdb_put(txn, table_, &key, &value, 0));
    }
    require(mdb_txn_commit(txn));
  }

private:
  struct close_env {
    void operator()(MDB_env* env) const noexcept {
      mdb_env_close(env);
    }
  };

  std::unique_ptr<MDB_env, close_env> env_;
  MDB_dbi table_ = 0;
};

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
  auto raw = raw_lmdb{folder / "raw.mdb", how};
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
