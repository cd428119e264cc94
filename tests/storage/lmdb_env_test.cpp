#include "troupe/storage/lmdb_env.hpp"

#include "support/catch.hpp"
#include "support/open_store.hpp"
#include "support/store_calls.hpp"
#include "support/temp_dir.hpp"

#include "troupe/storage/lmdb_table.hpp"
#include "troupe/storage/record_codec.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace troupe;

namespace {

constexpr auto mib = uint64_t{1} << 20;

std::string body_of(uint64_t i) {
  return std::to_string(i) + std::string(10000, 'x');
}

// Appends ten records, numbered from `count` on, and counts them.
caf::error append_ten(store& store, const session_key& key, uint64_t& count) {
  auto entry = session_append{key, {}};
  for (uint64_t i = 1; i <= 10; ++i)
    entry.records.push_back(test::message_at(1, body_of(count + i)));
  auto batch = std::vector{entry};
  auto why = test::append_all(store, batch);
  count += why ? 0 : 10;
  return why;
}

// Appends until an error comes, which must come.
fault fill(store& store, const session_key& key, uint64_t& count) {
  while (count < 100000)
    if (auto why = append_ten(store, key, count))
      return to_fault(why);
  FAIL("it never filled up");
  return {};
}

void check_bodies(store& store, const session_key& key, uint64_t count) {
  auto records = test::load_all(store, key);
  REQUIRE(records.size() == count);
  for (uint64_t i = 0; i < count; ++i)
    REQUIRE((records[i].body == body_of(i + 1)));
}

// Limits how large the files of this process may become.
class file_limit {
public:
  explicit file_limit(uint64_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    auto limit = rlimit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }

  file_limit(const file_limit&) = delete;
  file_limit& operator=(const file_limit&) = delete;

  ~file_limit() {
    setrlimit(RLIMIT_FSIZE, &before_);
  }

private:
  rlimit before_{};
};

mode_t mode_of(const std::string& path) {
  struct stat info = {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777;
}

const auto key = session_key{"agent", "session", ""};
const auto other = session_key{"agent", "other", ""};

} // namespace

TEST_CASE("the map grows until what is written fits", "[storage]") {
  auto dir = test::temp_dir{};
  auto env = test::open_env(test::store_in(dir));
  auto before = env->mapped();
  auto runs = 0;
  auto large = std::string(5 * mib, 'x');
  auto why = env->write([&](lmdb_txn& txn) {
    ++runs;
    return lmdb_table<blob_codec>{txn}.put("key", large);
  });
  REQUIRE_FALSE(why);
  CHECK(runs > 1);
  CHECK(before < large.size());
  CHECK(env->mapped() > large.size());
}

TEST_CASE("a full store says so, loses nothing, and works once there is room",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir, 4 * mib);
  auto store = test::open_store(settings);
  auto count = uint64_t{0};
  auto others = uint64_t{0};
  REQUIRE_FALSE(append_ten(*store, other, others));
  auto why = fill(*store, key, count);
  CHECK(why.kind == errc::storage);
  CHECK(why.message == "the store is full");
  CHECK(why.where == settings.path + "/store.mdb");
  CHECK(why.hint == "delete sessions, or raise storage.map_size (now 4MiB)");
  check_bodies(*store, key, count);
  check_bodies(*store, other, others);
  // Also for one who opens it full.
  store.reset();
  store = test::open_store(settings);
  CHECK(append_ten(*store, key, count));
  CHECK(test::erase_session(*store, other) == 1);
  REQUIRE_FALSE(append_ten(*store, key, count));
  check_bodies(*store, key, count);
}

TEST_CASE("a full store can be emptied and filled again and again",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto store = test::open_store(test::store_in(dir, 2 * mib));
  for (int round = 0; round < 5; ++round) {
    auto count = uint64_t{0};
    CHECK(fill(*store, key, count).message == "the store is full");
    CHECK(count > 50);
    CHECK(test::erase_session(*store, key) == 1);
  }
}

TEST_CASE("a larger limit reopens a full store", "[storage]") {
  auto dir = test::temp_dir{};
  auto count = uint64_t{0};
  fill(*test::open_store(test::store_in(dir, mib)), key, count);
  auto store = test::open_store(test::store_in(dir, 2 * mib));
  REQUIRE_FALSE(append_ten(*store, key, count));
  check_bodies(*store, key, count);
}

TEST_CASE("a smaller limit still reads what there is", "[storage]") {
  auto dir = test::temp_dir{};
  auto count = uint64_t{0};
  fill(*test::open_store(test::store_in(dir, 4 * mib)), key, count);
  auto store = test::open_store(test::store_in(dir, mib));
  check_bodies(*store, key, count);
  CHECK(append_ten(*store, key, count));
  CHECK(test::erase_session(*store, key) == 1);
}

TEST_CASE("a limit on the size of files is an error, not a signal",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  settings.durability = GENERATE(durability::full, durability::relaxed);
  auto store = test::open_store(settings);
  auto why = fault{};
  auto count = uint64_t{0};
  {
    auto limit = file_limit{2 * mib + 1234};
    why = fill(*store, key, count);
    CHECK(append_ten(*store, key, count));
    check_bodies(*store, key, count);
  }
  CHECK(why.kind == errc::storage);
  CHECK(why.message
        == "cannot write to the store: no room is left on the disk");
  CHECK(why.where == settings.path + "/store.mdb");
  REQUIRE_FALSE(append_ten(*store, key, count));
  check_bodies(*store, key, count);
  auto pending = sigset_t{};
  sigpending(&pending);
  CHECK(sigismember(&pending, SIGXFSZ) == 0);
}

TEST_CASE("a store that was replaced is not taken for the one that was open",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto store = test::open_store(settings);
  auto count = uint64_t{0};
  {
    // After a commit that failed, the next call opens the file again.
    auto limit = file_limit{2 * mib};
    fill(*store, key, count);
  }
  auto file = settings.path + "/store.mdb";
  std::filesystem::rename(file, file + ".old");
  dir.write("store/store.mdb", "");
  auto why = append_ten(*store, key, count);
  CHECK(to_fault(why).message == "the store was replaced while it was open");
  std::filesystem::rename(file + ".old", file);
  REQUIRE_FALSE(append_ten(*store, key, count));
  check_bodies(*store, key, count);
}

TEST_CASE("one process opens a store once", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto store = test::open_store(settings);
  test::append_message(*store, key, 1);
  CHECK(test::refusal(settings).message
        == "this process has the store open already");
  // Also by another name, and the first is none the worse.
  auto link = dir.path() / "link";
  std::filesystem::create_directory_symlink(settings.path, link);
  auto renamed = settings;
  renamed.path = link.string();
  test::refusal(renamed);
  test::append_message(*store, key, 2);
  CHECK(test::load_all(*store, key).size() == 2);
  store.reset();
  CHECK(test::load_all(*test::open_store(renamed), key).size() == 2);
}

TEST_CASE("two stores in one process do not meet", "[storage]") {
  auto dir = test::temp_dir{};
  auto dir2 = test::temp_dir{};
  auto store = test::open_store(test::store_in(dir));
  auto store2 = test::open_store(test::store_in(dir2));
  test::append_message(*store, key, 1);
  CHECK(test::list_all(*store2).empty());
}

TEST_CASE("a store is for its owner only", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  settings.path = (dir.path() / "a" / "b").string() + "/";
  test::open_store(settings);
  CHECK(mode_of(settings.path) == 0700);
  CHECK(mode_of(settings.path + "/store.mdb") == 0600);
  CHECK(mode_of(settings.path + "/store.mdb-lock") == 0600);
}

TEST_CASE("a limit that holds no store is refused", "[storage]") {
  auto dir = test::temp_dir{};
  auto what = test::refusal(test::store_in(dir, 1000));
  CHECK(what.kind == errc::configuration);
  CHECK(what.where == "storage.map_size");
}

TEST_CASE("a limit larger than any machine has works", "[storage]") {
  auto dir = test::temp_dir{};
  auto store = test::open_store(test::store_in(dir, UINT64_MAX));
  test::append_message(*store, key, 1);
  CHECK(test::erase_session(*store, key) == 1);
}
