#include "storage/storage_peer_runs.hpp"

#include "troupe/storage/process_identity.hpp"

#include "storage/storage_peer_tools.hpp"

#include <random>

namespace troupe::test {

namespace {

// What a run has had so far.
struct peer_run {
  uint64_t epoch = 1;
  uint64_t commits = 0;
  bool is_new = true;
};

store_commit begin_entry(const std::string& id, int64_t time) {
  auto result = store_commit{};
  result.run_id = id;
  auto& head = result.begin.emplace();
  head.run_id = id;
  head.kind = "agent";
  head.status = run_status::running;
  head.lease = {"peer", 0, time + 1};
  return result;
}

peer_run take(store& from, uint64_t run, int64_t time) {
  auto result = peer_run{};
  auto id = peer_run_id(run);
  if (!require_value(from.find_run(id)))
    return result;
  auto head = require_value(from.acquire(id, "peer", time, time + 1));
  require(head.has_value(), "the run of a dead peer cannot be taken");
  return {head->lease.epoch, head->events / 2, false};
}

store_commit next_commit(uint64_t run, peer_run& state, int64_t time) {
  auto id = peer_run_id(run);
  auto result = state.is_new ? begin_entry(id, time) : store_commit{};
  state.is_new = false;
  auto n = ++state.commits;
  result.run_id = id;
  result.epoch = state.epoch;
  auto records = std::vector<session_record>{};
  for (auto seq : {2 * n - 1, 2 * n}) {
    result.events.push_back({seq, 1, peer_body(run, seq)});
    records.push_back({0, record_kind::message, 1, peer_body(run, seq)});
  }
  result.values.push_back({"step", 1, std::to_string(n)});
  result.artifacts.push_back({"last", "", 1, 0, peer_body(run, n)});
  result.sessions.push_back({{"peer", id, ""}, std::move(records)});
  return result;
}

} // namespace

void commit_until_killed(const std::string& folder, int64_t time) {
  auto store = open_peer_store(folder, durability::full);
  auto random = std::mt19937{static_cast<unsigned>(time)};
  auto runs = std::vector<peer_run>{};
  for (uint64_t i = 0; i < peer_runs; ++i)
    runs.push_back(take(*store, i, time));
  for (;;) {
    auto batch = std::vector<store_commit>{};
    auto acks = std::vector<peer_ack>{};
    for (auto i = random() % 4 + 1; i > 0; --i) {
      auto run = random() % peer_runs;
      batch.push_back(next_commit(run, runs[run], time));
      acks.push_back({run, runs[run].commits});
    }
    // One that must never be seen.
    auto lost = peer_run{runs[0].epoch + 7, runs[0].commits, false};
    auto stale = next_commit(0, lost, time);
    batch.push_back(std::move(stale));
    require(!store->commit(batch), "cannot commit");
    require(batch.back().refusal == commit_refusal::stale, "not fenced");
    for (size_t i = 0; i + 1 < batch.size(); ++i)
      require(batch[i].refusal == commit_refusal::none, "refused");
    acknowledge(acks);
  }
}

int race(const std::string& folder) {
  auto store = open_peer_store(folder, durability::relaxed);
  acknowledge({{0, 0}});
  for (;;) {
    auto head = require_value(store->acquire_due({}, "peer", 100, 1000));
    if (!head) {
      if (require_value(store->find_run("stop")))
        return 0;
      continue;
    }
    auto batch = std::vector<store_commit>(1);
    batch[0].run_id = head->run_id;
    batch[0].epoch = head->lease.epoch;
    batch[0].change = run_change{run_status::completed, 101, 0, "done"};
    require(!store->commit(batch), "cannot commit");
    require(batch[0].refusal == commit_refusal::none, "taken by another");
    acknowledge({{std::stoul(head->run_id.substr(4)), head->lease.epoch}});
  }
}

int hold(const std::string& folder) {
  auto store = open_peer_store(folder, durability::relaxed);
  auto head = require_value(store->acquire("held", this_process(), 1, 10));
  require(head.has_value(), "cannot be acquired");
  for (auto seq = head->events + 1;; ++seq) {
    auto batch = std::vector<store_commit>(1);
    batch[0].run_id = "held";
    batch[0].epoch = head->lease.epoch;
    batch[0].events.push_back({seq, 1, "peer"});
    require(!store->commit(batch), "cannot commit");
    if (batch[0].refusal == commit_refusal::stale)
      return 0;
    require(batch[0].refusal == commit_refusal::none, "refused");
    acknowledge({{0, seq}});
  }
}

} // namespace troupe::test
