#include "support/catch.hpp"
#include "support/open_store.hpp"
#include "support/store_calls.hpp"
#include "support/temp_dir.hpp"

#include "troupe/storage/lmdb_table.hpp"
#include "troupe/storage/record_codec.hpp"
#include "troupe/storage/store_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace troupe;

namespace {

namespace fs = std::filesystem;

const auto key = session_key{"agent", "session", ""};

// A store with some hundred pages.
storage_settings make_store(const test::temp_dir& dir) {
  auto settings = test::store_in(dir);
  auto entry = session_append{key, {}};
  for (int i = 0; i < 100; ++i)
    entry.records.push_back(test::message_at(i, std::string(10000, 'x')));
  auto batch = std::vector{entry};
  REQUIRE_FALSE(test::append_all(*test::open_store(settings), batch));
  return settings;
}

std::string file_of(const storage_settings& settings) {
  return settings.path + "/store.mdb";
}

void overwrite(const storage_settings& settings, std::streamoff at,
               const std::string& bytes) {
  auto file = std::fstream{file_of(settings),
                           std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(at);
  file << bytes;
  REQUIRE(file.good());
}

// Runs as a user who may write to nothing of the tests', where root runs them.
class nobody {
public:
  nobody() {
    if (geteuid() == 0)
      REQUIRE(seteuid(65534) == 0);
  }

  nobody(const nobody&) = delete;
  nobody& operator=(const nobody&) = delete;

  ~nobody() {
    if (getuid() == 0)
      static_cast<void>(seteuid(0));
  }
};

} // namespace

TEST_CASE("a file that is no store is refused untouched", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  auto text = GENERATE(std::string(20000, 'x'), std::string(20000, '\0'));
  dir.write("store/store.mdb", text);
  auto what = test::refusal(settings);
  CHECK(what.kind == errc::storage);
  CHECK(what.message == "the file is not a store");
  CHECK(what.where == file_of(settings));
  CHECK((dir.read("store/store.mdb") == text));
}

TEST_CASE("a file too short for a header is refused", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = make_store(dir);
  auto size = GENERATE(1u, 151u, 152u, 4096u, 4100u);
  fs::resize_file(file_of(settings), size);
  CHECK(test::refusal(settings).message == "the store is cut short");
}

TEST_CASE("a store cut short is refused however often it is opened",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = make_store(dir);
  auto whole = fs::file_size(file_of(settings));
  auto missing = GENERATE(1u, 4096u, 100000u, 500000u);
  fs::resize_file(file_of(settings), whole - missing);
  for (int i = 0; i < 2; ++i)
    CHECK(test::refusal(settings).message == "the store is cut short");
  CHECK(fs::file_size(file_of(settings)) == whole - missing);
}

TEST_CASE("a store is whole if all it lacks are unused pages", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = make_store(dir);
  {
    auto store = test::open_store(settings);
    for (int i = 0; i < 5; ++i)
      test::append_message(*store, key, i);
  }
  // What is stored and removed within a transaction is not written at all, and
  // all else it writes goes to pages that the others gave back.
  REQUIRE_FALSE(test::open_env(settings)->write([](lmdb_txn& txn) {
    auto blobs = lmdb_table<blob_codec>{txn};
    if (auto why = blobs.put("key", std::string(1 << 20, 'x')))
      return why;
    auto gone = blobs.erase("key");
    return gone ? caf::error{} : gone.error();
  }));
  {
    auto file = store_file::open(settings.path);
    REQUIRE(file);
    auto header = file->read_header();
    REQUIRE(header);
    CHECK(fs::file_size(file_of(settings)) + (1 << 19)
          < header->page_size * header->last_page);
  }
  CHECK(test::load_all(*test::open_store(settings), key).size() == 105);
}

TEST_CASE("another format of LMDB is refused by its number", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = make_store(dir);
  overwrite(settings, 20, std::string{"\x02\0\0\0", 4});
  auto what = test::refusal(settings);
  CHECK(what.message == "the store has LMDB's format 2, this troupe reads 1");
  CHECK(what.where == file_of(settings));
}

TEST_CASE("a header with an impossible page size is refused", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = make_store(dir);
  auto size = GENERATE(std::string{"\0\0\0\0", 4}, std::string{"\0\0\0\xff", 4},
                       std::string{"\x01\x10\0\0", 4});
  overwrite(settings, 40, size);
  CHECK(test::refusal(settings).message == "the store's header is damaged");
}

TEST_CASE("a header that promises too many pages is refused", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = make_store(dir);
  auto last = GENERATE(std::string("\xff\xff\xff\xff\xff\xff\xff\xff"),
                       std::string("\xff\xff\xff\xff\xff\xff\x0f\0", 8),
                       std::string("\xff\xff\xff\x0f\0\0\0\0", 8));
  overwrite(settings, 136, last);
  overwrite(settings, 4096 + 136, last);
  auto what = test::refusal(settings);
  CHECK(what.kind == errc::storage);
  CHECK(what.where == file_of(settings));
}

TEST_CASE("a table whose root was never written is refused", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = make_store(dir);
  auto size = fs::file_size(file_of(settings));
  overwrite(settings, 8192, std::string(size - 8192, '\0'));
  CHECK(test::refusal(settings).message
        == "cannot read the store: the store is damaged");
}

TEST_CASE("what is not a regular file is refused, and not followed",
          "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  dir.write("store/other", "precious");
  auto victim = dir.path() / "store" / "other";
  SECTION("a link in place of the store") {
    fs::create_symlink(victim, file_of(settings));
    test::refusal(settings);
  }
  SECTION("a link in place of the lock file") {
    fs::create_symlink(victim, file_of(settings) + "-lock");
    test::refusal(settings);
  }
  SECTION("a folder in place of the store") {
    fs::create_directory(file_of(settings));
    test::refusal(settings);
  }
  SECTION("a pipe in place of the store") {
    REQUIRE(mkfifo(file_of(settings).c_str(), 0600) == 0);
    test::refusal(settings);
  }
  CHECK(dir.read("store/other") == "precious");
}

TEST_CASE("a folder that cannot be made or written is refused", "[storage]") {
  auto dir = test::temp_dir{};
  auto settings = test::store_in(dir);
  SECTION("because a file is in its place") {
    dir.write("store", "text");
    test::refusal(settings);
  }
  SECTION("because a file is in the place of its parent") {
    dir.write("store", "text");
    settings.path += "/inner";
    CHECK(test::refusal(settings).where.find("store") != std::string::npos);
  }
  SECTION("because it is somebody else's") {
    fs::create_directory(settings.path);
    fs::permissions(settings.path, fs::perms{0500});
    auto user = nobody{};
    auto what = test::refusal(settings);
    CHECK(what.message.find("ermission denied") != std::string::npos);
    CHECK(what.hint.find("--store") != std::string::npos);
  }
  SECTION("because it has no name") {
    settings.path.clear();
    test::refusal(settings);
  }
}
