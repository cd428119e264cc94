// The second process of the storage tests.
//
//   storage_peer write FOLDER SEED       appends until it is killed
//   storage_peer fill FOLDER COUNT SIZE  appends COUNT bodies from SIZE bytes
//   up
//   storage_peer small_disk FOLDER       fills a file system of 2 MiB
//   storage_peer runs FOLDER TIME        commits to runs until it is killed
//   storage_peer race FOLDER             takes due runs until one is "stop"
//   storage_peer hold FOLDER             commits to a run until it is refused
//
// It ends with 0, or with 1 and a line that says why. `small_disk` ends with
// 77 where it may not mount anything.
#include "support/append_all.hpp"
#include "support/storage_peer_protocol.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/storage/store.hpp"

#include "storage/storage_peer_runs.hpp"
#include "storage/storage_peer_tools.hpp"
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/mount.h>
#include <unistd.h>

using namespace troupe;

using test::acknowledge;
using test::open_peer_store;
using test::require;

namespace {

constexpr int not_permitted = 77;

session_key key_of(uint64_t session) {
  return {"peer", test::peer_session_id(session), ""};
}

std::vector<uint64_t> count_records(store& store) {
  auto result = std::vector<uint64_t>(test::peer_sessions);
  auto sessions = store.list("");
  require(!!sessions, "cannot list");
  for (const auto& entry : *sessions)
    for (uint64_t i = 0; i < result.size(); ++i)
      if (entry.key == key_of(i))
        result[i] = entry.messages;
  return result;
}

// A session that is written and erased all the time: what is left of it after
// a kill must be a whole one.
void renew_scratch(store& store) {
  auto scratch = session_append{{"peer", "scratch", ""}, {}};
  for (uint64_t seq = 1; seq <= 30; ++seq)
    scratch.records.push_back(
      {0, record_kind::message, 1, test::peer_body(0, seq)});
  auto batch = std::vector{scratch};
  require(!test::append_all(store, batch), "cannot append");
  require(!!store.erase(scratch.key), "cannot erase");
}

[[noreturn]] void write_until_killed(const std::string& folder, unsigned seed) {
  auto store = open_peer_store(folder, durability::full);
  auto random = std::mt19937{seed};
  auto counts = count_records(*store);
  for (;;) {
    auto batch = std::vector<session_append>{};
    auto acks = std::vector<test::peer_ack>{};
    for (auto i = random() % 8 + 1; i > 0; --i) {
      auto session = random() % test::peer_sessions;
      auto entry = session_append{key_of(session), {}};
      for (auto j = random() % 3 + 1; j > 0; --j)
        entry.records.push_back({0, record_kind::message, 1,
                                 test::peer_body(session, ++counts[session])});
      acks.push_back({session, counts[session]});
      batch.push_back(std::move(entry));
    }
    require(!test::append_all(*store, batch), "cannot append");
    acknowledge(acks);
    if (random() % 4 == 0)
      renew_scratch(*store);
  }
}

caf::error append_one(store& store, size_t size) {
  auto batch = std::vector<session_append>{
    {key_of(0), {{0, record_kind::message, 1, std::string(size, 'x')}}}};
  return test::append_all(store, batch);
}

int fill(const std::string& folder, uint64_t count, size_t size) {
  auto store = open_peer_store(folder, durability::relaxed);
  for (uint64_t i = 0; i < count; ++i)
    require(!append_one(*store, size + i), "cannot append");
  return 0;
}

bool mount_small_disk(const std::string& folder) {
  return unshare(CLONE_NEWNS) == 0
         && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0
         && mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=2m") == 0;
}

// A new store has nowhere to put its locks.
void require_opening_fails(const std::string& folder) {
  auto settings = storage_settings{};
  settings.path = folder;
  auto result = make_lmdb_store(settings);
  require(!result && to_fault(result.error()).kind == errc::storage,
          "opens a store on a full disk");
}

int fill_small_disk(const std::string& folder) {
  if (!mount_small_disk(folder))
    return not_permitted;
  auto ballast = folder + "/ballast";
  std::ofstream{ballast} << std::string(512 << 10, 'x') << std::flush;
  auto store = open_peer_store(folder + "/store", durability::full);
  auto count = size_t{0};
  auto why = caf::error{};
  while (!(why = append_one(*store, 10000)))
    require(++count < 1000, "the disk never filled up");
  auto what = to_fault(why);
  require(what.kind == errc::storage
            && what.message
                 == "cannot write to the store: no room is left on the disk"
            && what.where == folder + "/store/store.mdb" && !what.hint.empty(),
          "unexpected: " + render(what));
  require(store->load(key_of(0), 0, 1000)->size() == count, "records lost");
  require(!!append_one(*store, 10000), "the disk was not full");
  require_opening_fails(folder + "/full");
  require(unlink(ballast.c_str()) == 0, "cannot make room");
  require(!append_one(*store, 10000), "does not go on with room");
  store.reset();
  store = open_peer_store(folder + "/store", durability::full);
  require(store->load(key_of(0), 0, 1000)->size() == count + 1,
          "records lost on the way");
  return 0;
}

int run(const std::vector<std::string>& args) {
  require(args.size() > 2, "usage: see the source");
  if (args[1] == "write")
    write_until_killed(args[2], static_cast<unsigned>(std::stoul(args.at(3))));
  if (args[1] == "runs")
    test::commit_until_killed(args[2], std::stol(args.at(3)));
  if (args[1] == "race")
    return test::race(args[2]);
  if (args[1] == "hold")
    return test::hold(args[2]);
  if (args[1] == "fill")
    return fill(args[2], std::stoul(args.at(3)), std::stoul(args.at(4)));
  require(args[1] == "small_disk", "no such command");
  return fill_small_disk(args[2]);
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run({argv, argv + argc});
  } catch (const std::exception& why) {
    std::fprintf(stderr, "storage_peer: %s\n", why.what());
    return 1;
  }
}
