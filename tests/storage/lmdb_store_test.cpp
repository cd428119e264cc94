// What only the store on disk does, beyond what every store does.
#include "support/catch.hpp"
#include "support/open_store.hpp"
#include "support/store_calls.hpp"
#include "support/temp_dir.hpp"

#include "troupe/storage/key_codec.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

using namespace troupe;

namespace {

const auto large = std::string(200 << 10, 'x');
const auto one = session_key{"agent", "one", ""};
const auto two = session_key{"agent", "two", ""};

// How many entries each table has.
std::array<size_t, table_count> count_entries(lmdb_env& env) {
  auto result = std::array<size_t, table_count>{};
  auto why = env.read([&](lmdb_txn& txn) -> caf::error {
    for (size_t i = 0; i < table_count; ++i) {
      result[i] = 0;
      for (auto key = std::string{};;) {
        auto found = txn.find_from(static_cast<table_id>(i), key);
        REQUIRE(found);
        if (!*found)
          break;
        key.assign((*found)->key).push_back('\0');
        ++result[i];
      }
    }
    return {};
  });
  REQUIRE_FALSE(why);
  return result;
}

// Whether only `meta` has anything left.
bool is_empty(const storage_settings& settings) {
  auto env = test::open_env(settings);
  auto counts = count_entries(*env);
  return std::all_of(counts.begin() + 1, counts.end(),
                     [](size_t x) { return x == 0; });
}

store_commit everything(const std::string& id) {
  auto result = store_commit{};
  result.run_id = id;
  auto& head = result.begin.emplace();
  head.kind = "agent";
  head.status = run_status::running;
  head.lease = {"host/1", 0, 100};
  head.details = large;
  result.events = {{1, 1, "event"}, {2, 1, large}};
  result.values = {{"v", 1, "value"}, {"w", 1, large}};
  result.artifacts = {{"a", "text/plain", 1, 0, "small"},
                      {"b", "", 1, 0, large}};
  result.sessions.push_back({one, {test::message_at(1, large)}});
  return result;
}

void commit(store& to, store_commit entry) {
  auto batch = std::vector{std::move(entry)};
  REQUIRE_FALSE(to.commit(batch));
  REQUIRE(batch[0].refusal == commit_refusal::none);
}

store_commit ending(const std::string& id) {
  auto result = store_commit{};
  result.run_id = id;
  result.epoch = 1;
  result.change = run_change{run_status::completed, 2, 0, "done"};
  return result;
}

// Every entry of every table, to be damaged one after another.
struct place {
  table_id table = table_id::meta;
  std::string key;
  std::string value;
};

std::vector<place> all_places(const storage_settings& settings) {
  auto result = std::vector<place>{};
  auto env = test::open_env(settings);
  auto why = env->read([&](lmdb_txn& txn) -> caf::error {
    result.clear();
    for (size_t i = 1; i < table_count; ++i)
      for (auto key = std::string{};;) {
        auto table = static_cast<table_id>(i);
        auto found = txn.find_from(table, key);
        REQUIRE(found);
        if (!*found)
          break;
        key.assign((*found)->key);
        result.push_back({table, key, std::string{(*found)->value}});
        key.push_back('\0');
      }
    return {};
  });
  REQUIRE_FALSE(why);
  return result;
}

void overwrite(const storage_settings& settings, const place& at) {
  auto env = test::open_env(settings);
  REQUIRE_FALSE(env->write([&](lmdb_txn& txn) -> caf::error {
    auto out = txn.reserve(at.table, at.key, at.value.size());
    if (!out)
      return out.error();
    std::copy(at.value.begin(), at.value.end(), *out);
    return {};
  }));
}

// Asks for all there is, and changes what can be changed. Answers do not
// matter, only that there are some and that errors are of the right kind.
void use(store& it) {
  auto check = [](const auto& x) {
    if (!x)
      CHECK(to_fault(x.error()).kind == errc::storage);
  };
  check(it.list(""));
  for (const auto& key : {one, two}) {
    check(it.load(key, 0, SIZE_MAX));
    check(it.find_session(key));
  }
  check(it.list_runs({}, SIZE_MAX));
  for (int i = 0; i < 9; ++i) {
    auto filter = run_filter{};
    filter.status = static_cast<run_status>(i);
    check(it.list_runs(filter, SIZE_MAX));
  }
  for (auto id : {"p", "q", "r"}) {
    check(it.find_run(id));
    check(it.load_events(id, 0, SIZE_MAX));
    check(it.load_values(id, ""));
    check(it.list_artifacts(id));
    check(it.load_artifact(id, "b"));
    check(it.request_cancel(id));
  }
  check(it.fork(one, 1, {"agent", "fork", ""}, 1));
  check(it.fork(two, 1, {"agent", "fork 2", ""}, 1));
  check(it.next_due({}));
  check(it.next_due("queue"));
  check(it.acquire_due({}, "o", 50, 60));
  check(it.reconcile(500, {}));
  check(it.acquire("r", "o", 500, 600));
  auto batch = std::vector{ending("r")};
  batch[0].epoch = 2;
  it.commit(batch);
  check(it.erase_run("p"));
  check(it.erase_run("r"));
  check(it.erase(one));
  check(it.erase(two));
}

} // namespace

TEST_CASE("a run that is erased leaves nothing on disk", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  {
    auto store = test::open_store(settings);
    commit(*store, everything("r"));
    // Put again, so that what was there must have gone.
    auto again = store_commit{};
    again.run_id = "r";
    again.epoch = 1;
    again.values = {{"w", 1, large + "2"}};
    again.artifacts = {{"b", "", 1, 0, large + "3"}};
    commit(*store, again);
    commit(*store, ending("r"));
    CHECK(*store->erase_run("r"));
    CHECK(test::erase_session(*store, one) == 1);
  }
  CHECK(is_empty(settings));
}

TEST_CASE("a queued run that is taken and erased leaves nothing on disk",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  {
    auto store = test::open_store(settings);
    auto entry = store_commit{};
    entry.run_id = "r";
    entry.begin.emplace().status = run_status::queued;
    entry.begin->queue = std::string(300, 'q');
    entry.begin->due_at = -5;
    commit(*store, entry);
    CHECK(*store->acquire_due({}, "o", 0, 10));
    commit(*store, ending("r"));
    CHECK(*store->erase_run("r"));
  }
  CHECK(is_empty(settings));
}

TEST_CASE("forks leave nothing on disk when all are gone", "[storage]") {
  auto random = std::mt19937{GENERATE(1u, 2u, 3u)};
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  {
    auto store = test::open_store(settings);
    auto key = [](uint64_t i) {
      return session_key{"agent", std::to_string(i), ""};
    };
    for (int i = 0; i < 5; ++i)
      test::append_message(*store, key(0), i, i == 2 ? large : "x");
    for (uint64_t i = 1; i < 20; ++i) {
      auto from = random() % i;
      auto records = (*store->find_session(key(from)))->records;
      REQUIRE(*store->fork(key(from), random() % (records + 1), key(i), 1));
      for (auto j = random() % 3; j > 0; --j)
        test::append_message(*store, key(i), 1);
    }
    auto order = std::vector<uint64_t>(20);
    for (uint64_t i = 0; i < 20; ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (auto i : order)
      CHECK(test::erase_session(*store, key(i)) == 1);
  }
  CHECK(is_empty(settings));
}

TEST_CASE("a parent that is gone keeps no more than its forks share",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto records = [&settings] {
    auto env = test::open_env(settings);
    return count_entries(*env)[static_cast<size_t>(table_id::records)];
  };
  auto fork = [](int i) {
    return session_key{"agent", "fork " + std::to_string(i), ""};
  };
  {
    auto store = test::open_store(settings);
    for (int i = 0; i < 10; ++i)
      test::append_message(*store, one, i);
    for (int i : {3, 7, 5})
      REQUIRE(*store->fork(one, static_cast<uint64_t>(i), fork(i), 1));
    test::erase_session(*store, one);
  }
  CHECK(records() == 7);
  test::erase_session(*test::open_store(settings), fork(7));
  CHECK(records() == 5);
  test::erase_session(*test::open_store(settings), fork(3));
  CHECK(records() == 5);
  test::erase_session(*test::open_store(settings), fork(5));
  CHECK(is_empty(settings));
}

TEST_CASE("a store on disk has after reopening what it had before",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  settings.durability = GENERATE(durability::full, durability::relaxed);
  commit(*test::open_store(settings), everything("r"));
  auto store = test::open_store(settings);
  auto head = *store->find_run("r");
  REQUIRE(head);
  CHECK(head->status == run_status::running);
  CHECK(head->lease.owner == "host/1");
  CHECK(head->events == 2);
  CHECK((head->details == large));
  CHECK((store->load_events("r", 0, 9)->at(1).body == large));
  CHECK((store->load_values("r", "w")->at(0).body == large));
  CHECK(((*store->load_artifact("r", "b"))->content == large));
  CHECK((test::load_all(*store, one).at(0).body == large));
  CHECK((*store->find_session(one))->open_run == "r");
  commit(*store, ending("r"));
  store.reset();
  store = test::open_store(settings);
  CHECK((*store->find_session(one))->open_run.empty());
  test::append_message(*store, one, 3);
}

TEST_CASE("a full store still lets its runs be renewed and cancelled",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto store = test::open_store(test::store_in(dir, 4 << 20));
  auto entry = everything("r");
  commit(*store, entry);
  auto batch = std::vector<store_commit>(1);
  for (int i = 0; i < 1000; ++i) {
    batch[0] = {};
    batch[0].sessions = {{two, {test::message_at(1, std::string(9000, 'x'))}}};
    if (store->commit(batch))
      break;
  }
  REQUIRE(store->commit(batch));
  for (int64_t i = 1; i <= 50; ++i) {
    auto claims = std::vector<store::lease_claim>{{"r", 1}};
    REQUIRE_FALSE(store->renew(claims, 1000 + i));
    REQUIRE(claims[0].epoch == 1);
  }
  CHECK(*store->request_cancel("r"));
  CHECK(store->reconcile(5000, {})->size() == 1);
}

TEST_CASE("no damaged value of any table does more than give an error",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir, 16 << 20);
  auto random = std::mt19937{3};
  {
    auto store = test::open_store(settings);
    commit(*store, everything("p"));
    commit(*store, ending("p"));
    commit(*store, everything("r"));
    auto queued = store_commit{};
    queued.run_id = "q";
    queued.begin.emplace().status = run_status::queued;
    queued.begin->queue = "queue";
    commit(*store, queued);
    CHECK(*store->fork(one, 2, two, 1));
    test::append_message(*store, two, 1);
    REQUIRE(*store->fork(two, 3, {"agent", "three", ""}, 1));
    test::erase_session(*store, {"agent", "three", ""});
  }
  auto saved = dir.read("store/store.mdb");
  for (const auto& found : all_places(settings))
    for (int change = 0; change < 4; ++change) {
      auto damaged = found;
      auto at = damaged.value.empty()
                  ? size_t{0}
                  : random() % std::min<size_t>(damaged.value.size(), 90);
      if (change == 0)
        damaged.value.resize(damaged.value.size() / 2);
      else if (change == 1)
        damaged.value += "more";
      else if (!damaged.value.empty())
        damaged.value[at] = static_cast<char>(change == 2 ? 0xff : random());
      dir.write("store/store.mdb", saved);
      overwrite(settings, damaged);
      auto store = make_lmdb_store(settings);
      REQUIRE(store);
      use(**store);
    }
}
