#include "support/catch.hpp"
#include "support/open_store.hpp"
#include "support/temp_dir.hpp"

#include "troupe/storage/process_identity.hpp"

#include "storage/peer_process.hpp"

#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace troupe;

namespace {

using acks_t = std::array<uint64_t, test::peer_runs>;

template <class T>
T value_of(caf::expected<T> x) {
  REQUIRE(x);
  return std::move(*x);
}

// Checks that the run has all of its first n commits and nothing of another;
// n, which is moved on from `seen`.
void check_run(store& store, uint64_t run, uint64_t acked, uint64_t& seen) {
  auto id = test::peer_run_id(run);
  auto head = value_of(store.find_run(id));
  if (!head) {
    REQUIRE(acked == 0);
    return;
  }
  REQUIRE(head->events % 2 == 0);
  auto commits = head->events / 2;
  REQUIRE(commits >= acked);
  REQUIRE(commits >= seen);
  auto events = value_of(store.load_events(id, 2 * seen, SIZE_MAX));
  auto records = value_of(store.load({"peer", id, ""}, 2 * seen, SIZE_MAX));
  REQUIRE(events.size() == 2 * (commits - seen));
  REQUIRE(records.size() == events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    REQUIRE(events[i].seq == 2 * seen + i + 1);
    REQUIRE((events[i].body == test::peer_body(run, events[i].seq)));
    REQUIRE(records[i].seq == events[i].seq);
    REQUIRE((records[i].body == events[i].body));
  }
  auto values = value_of(store.load_values(id, ""));
  REQUIRE(values.size() == 1);
  REQUIRE(values[0].body == std::to_string(commits));
  auto last = value_of(store.load_artifact(id, "last"));
  REQUIRE(last);
  REQUIRE((last->content == test::peer_body(run, commits)));
  seen = commits;
}

void enqueue(store& store, uint64_t first, uint64_t count) {
  auto batch = std::vector<store_commit>(count);
  for (uint64_t i = 0; i < count; ++i) {
    batch[i].run_id = test::peer_run_id(first + i);
    batch[i].begin.emplace().status = run_status::queued;
    batch[i].begin->due_at = static_cast<int64_t>(i % 7) + 1;
  }
  REQUIRE_FALSE(store.commit(batch));
}

void begin(store& store, const std::string& id, run_status status) {
  auto batch = std::vector<store_commit>(1);
  batch[0].run_id = id;
  batch[0].begin.emplace().status = status;
  REQUIRE_FALSE(store.commit(batch));
}

} // namespace

TEST_CASE("a writer of runs killed 100 times leaves no half commit",
          "[storage][slow]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto acked = acks_t{};
  auto seen = acks_t{};
  auto random = std::mt19937{99};
  for (int round = 0; round < 100; ++round) {
    auto writer
      = test::peer{{"runs", settings.path, std::to_string(round + 1)}};
    auto note = [&acked](const std::optional<test::peer_ack>& ack) {
      if (ack)
        acked.at(ack->subject) = ack->count;
      return ack.has_value();
    };
    // Killed while it starts, or after some commits and a moment more.
    for (auto i = random() % 12; i > 0; --i)
      note(writer.require_ack());
    while (note(writer.await_ack(static_cast<int64_t>(random() % 4000)))
           && random() % 4 != 0)
      ;
    writer.end();
    while (note(writer.read_ack()))
      ;
    auto store = test::open_store(settings);
    for (uint64_t i = 0; i < test::peer_runs; ++i)
      check_run(*store, i, acked[i], seen[i]);
  }
  // And all of it once more from the beginning.
  seen = {};
  auto store = test::open_store(settings);
  for (uint64_t i = 0; i < test::peer_runs; ++i) {
    check_run(*store, i, acked[i], seen[i]);
    CHECK(acked[i] > 0);
  }
  CHECK(value_of(store->reconcile(1000, {})).size() == test::peer_runs);
}

TEST_CASE("of two processes that race for due runs each run goes to one",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto store = test::open_store(settings);
  test::peer one{{"race", settings.path}};
  test::peer two{{"race", settings.path}};
  one.require_ack();
  two.require_ack();
  auto count = uint64_t{0};
  auto taken = std::map<uint64_t, int>{};
  auto shares = std::array<int, 2>{};
  auto note = [&](const std::optional<test::peer_ack>& ack, size_t who) {
    if (!ack)
      return false;
    CHECK(ack->count == 1);
    ++taken[ack->subject];
    ++shares.at(who);
    return true;
  };
  // Until both have had enough of them.
  while (count < 20000 && (shares[0] < 50 || shares[1] < 50)) {
    enqueue(*store, count, 20);
    count += 20;
    while (note(one.await_ack(1000), 0) || note(two.await_ack(1000), 1))
      ;
  }
  begin(*store, "stop", run_status::completed);
  CHECK(one.wait_for_exit() == 0);
  CHECK(two.wait_for_exit() == 0);
  while (note(one.read_ack(), 0) || note(two.read_ack(), 1))
    ;
  CHECK(shares[0] >= 50);
  CHECK(shares[1] >= 50);
  CHECK(taken.size() == count);
  for (const auto& [run, times] : taken)
    REQUIRE(times == 1);
  auto filter = run_filter{};
  filter.status = run_status::completed;
  CHECK(value_of(store->list_runs(filter, SIZE_MAX)).size() == count + 1);
  CHECK_FALSE(value_of(store->next_due({})));
}

TEST_CASE("a process that lost its run cannot write to it any more",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto store = test::open_store(settings);
  begin(*store, "held", run_status::pending);
  test::peer holder{{"hold", settings.path}};
  for (int i = 0; i < 5; ++i)
    holder.require_ack();
  CHECK_FALSE(value_of(store->acquire("held", "tester", 9, 20)));
  auto head = value_of(store->acquire("held", "tester", 10, 20));
  REQUIRE(head);
  CHECK(head->lease.epoch == 2);
  auto first = head->events + 1;
  for (auto seq = first; seq < first + 5; ++seq) {
    auto batch = std::vector<store_commit>(1);
    batch[0].run_id = "held";
    batch[0].epoch = 2;
    batch[0].events.push_back({seq, 1, "tester"});
    REQUIRE_FALSE(store->commit(batch));
    REQUIRE(batch[0].refusal == commit_refusal::none);
  }
  CHECK(holder.wait_for_exit() == 0);
  auto events = value_of(store->load_events("held", 0, SIZE_MAX));
  REQUIRE(events.size() == first + 4);
  for (size_t i = 0; i < events.size(); ++i)
    REQUIRE(events[i].body == (i + 1 < first ? "peer" : "tester"));
}

TEST_CASE("a run is interrupted as soon as its process is gone", "[storage]") {
  auto dir = test::temp_dir{};
  auto store = test::open_store(test::store_in(dir));
  begin(*store, "held", run_status::pending);
  test::peer holder{{"hold", test::store_in(dir).path}};
  holder.require_ack();
  CHECK(value_of(store->reconcile(2, is_process_gone)).empty());
  holder.end();
  auto found = value_of(store->reconcile(2, is_process_gone));
  CHECK(found == std::vector<std::string>{"held"});
  CHECK(value_of(store->find_run("held"))->status == run_status::interrupted);
}
