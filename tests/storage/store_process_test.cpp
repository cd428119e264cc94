#include "support/catch.hpp"
#include "support/open_store.hpp"
#include "support/storage_peer_protocol.hpp"
#include "support/store_calls.hpp"
#include "support/temp_dir.hpp"

#include "storage/peer_process.hpp"

#include <array>
#include <random>
#include <string>
#include <vector>

using namespace troupe;

namespace {

using acks_t = std::array<uint64_t, test::peer_sessions>;

// Whether an acknowledgement came before `microseconds` were over; adds it to
// `acks`.
bool await_ack(test::peer& from, int64_t microseconds, acks_t& acks) {
  auto ack = from.await_ack(microseconds);
  if (ack)
    acks.at(ack->subject) = ack->count;
  return ack.has_value();
}

// Ends it in the middle of whatever it does, and collects the rest.
void kill_and_collect(test::peer& from, acks_t& acks) {
  from.end();
  while (auto ack = from.read_ack())
    acks.at(ack->subject) = ack->count;
}

session_key key_of(uint64_t session) {
  return {"peer", test::peer_session_id(session), ""};
}

// Checks all of `session` after record `seen`, which is moved to the last.
void check_history(store& store, uint64_t session, uint64_t acked,
                   uint64_t& seen) {
  auto records = store.load(key_of(session), seen, SIZE_MAX);
  REQUIRE(records);
  for (const auto& record : *records) {
    REQUIRE(record.seq == ++seen);
    REQUIRE((record.body == test::peer_body(session, seen)));
  }
  REQUIRE(seen >= acked);
}

void check_histories(store& store, const acks_t& acked, acks_t& seen) {
  for (uint64_t i = 0; i < test::peer_sessions; ++i)
    check_history(store, i, acked[i], seen[i]);
  auto scratch = store.load({"peer", "scratch", ""}, 0, SIZE_MAX);
  REQUIRE(scratch);
  REQUIRE((scratch->empty() || scratch->size() == 30));
  if (!scratch->empty())
    REQUIRE(store.erase({"peer", "scratch", ""}));
}

} // namespace

TEST_CASE("a writer killed 200 times loses nothing it acknowledged",
          "[storage][slow]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto folder = settings.path;
  auto acked = acks_t{};
  auto seen = acks_t{};
  auto random = std::mt19937{2024};
  for (int round = 0; round < 200; ++round) {
    // In every other round somebody else has the store open meanwhile, and
    // must be able to go on.
    auto store = std::unique_ptr<troupe::store>{};
    if (round % 2 == 1)
      store = test::open_store(settings);
    auto writer = test::peer{{"write", folder, std::to_string(round)}};
    // Killed while it starts, or after some appends and a moment more.
    for (auto i = random() % 12; i > 0; --i)
      REQUIRE(await_ack(writer, 10000000, acked));
    while (await_ack(writer, random() % 4000, acked) && random() % 4 != 0)
      ;
    kill_and_collect(writer, acked);
    if (store == nullptr)
      store = test::open_store(settings);
    // A commit that was cut off behind its last page is seen by those who had
    // the store open from the next write on, not before.
    test::append_message(*store, {"tester", "mine", ""}, 1);
    check_histories(*store, acked, seen);
  }
  // And all of it once more from the beginning.
  seen = {};
  auto store = test::open_store(settings);
  check_histories(*store, acked, seen);
  CHECK(test::load_all(*store, {"tester", "mine", ""}).size() == 200);
  for (auto seq : acked)
    CHECK(seq > 0);
}

TEST_CASE("two processes use one store at the same time", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto store = test::open_store(settings);
  auto acked = acks_t{};
  auto seen = acks_t{};
  auto writer = test::peer{{"write", settings.path, "1"}};
  for (int i = 0; i < 50; ++i) {
    REQUIRE(await_ack(writer, 10000000, acked));
    test::append_message(*store, {"tester", "mine", ""}, i);
    check_history(*store, 0, acked[0], seen[0]);
    REQUIRE(store->list(""));
  }
  kill_and_collect(writer, acked);
  for (uint64_t i = 0; i < test::peer_sessions; ++i)
    check_history(*store, i, acked[i], seen[i]);
  CHECK(test::load_all(*store, {"tester", "mine", ""}).size() == 50);
}

TEST_CASE("a process follows another that makes the map larger", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto env = test::open_env(settings);
  auto before = env->mapped();
  auto other = test::peer{{"fill", settings.path, "20", "100000"}};
  REQUIRE(other.wait_for_exit() == 0);
  auto sessions = size_t{0};
  auto count = [&sessions](lmdb_txn& txn) -> caf::error {
    auto first = txn.find_from(table_id::sessions, "");
    if (!first)
      return first.error();
    sessions = *first ? 1 : 0;
    return {};
  };
  SECTION("when it reads") {
    REQUIRE_FALSE(env->read(count));
  }
  SECTION("when it writes") {
    REQUIRE_FALSE(env->write(count));
  }
  CHECK(sessions == 1);
  CHECK(env->mapped() > before);
}

TEST_CASE("a full disk is an error, loses nothing, and is got over",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto other = test::peer{{"small_disk", dir.path().string()}};
  auto code = other.wait_for_exit();
  if (code == 77)
    WARN("skipped: only root may mount a small disk");
  else
    CHECK(code == 0);
}
