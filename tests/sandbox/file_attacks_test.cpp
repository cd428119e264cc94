#include "support/catch.hpp"

#include "troupe/sandbox/file_space.hpp"

#include "sandbox/spaces.hpp"
#include <stdio.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace troupe;
using test::disk_space;
using test::message_of;
namespace fs = std::filesystem;

TEST_CASE("no spelling of a path reads outside", "[attack]") {
  auto x = disk_space{};
  for (const auto* path :
       {"/etc/passwd", "../../etc/passwd", "a/../../etc/passwd",
        "workspace://root/../etc/passwd", "workspace:///etc/passwd",
        "file:///etc/passwd", "~/x", "/proc/self/root/etc/passwd",
        "/dev/stdin"}) {
    CAPTURE(path);
    CHECK(test::kind_of(x->read({path})) == errc::tool);
    CHECK(test::kind_of(x->write({path, "x", {}})) == errc::tool);
    CHECK(test::kind_of(x->list({path})) == errc::tool);
  }
}

TEST_CASE("a link in the workspace is named, not followed", "[attack]") {
  auto outside = test::temp_dir{};
  outside.write("secret", "SECRET");
  auto x = disk_space{};
  fs::create_symlink(outside.path() / "secret", x.dir.path() / "link");
  fs::create_directory_symlink(outside.path(), x.dir.path() / "dir");
  CHECK(message_of(x->read({"link"}))
        == "\"link\" leads through a symbolic link, which is not followed");
  CHECK(test::kind_of(x->read({"dir/secret"})) == errc::tool);
  CHECK(test::kind_of(x->write({"link", "x", {}})) == errc::tool);
  CHECK(test::kind_of(x->write({"dir/new", "x", {}})) == errc::tool);
  CHECK(test::kind_of(x->write({"dir/sub/new", "x", {}})) == errc::tool);
  CHECK(outside.read("secret") == "SECRET");
  CHECK(std::distance(fs::directory_iterator{outside.path()}, {}) == 1);
  auto entries = x->list({""})->entries;
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].type == "link");
}

TEST_CASE("a dangling link does not become a file outside", "[attack]") {
  auto outside = test::temp_dir{};
  auto x = disk_space{};
  fs::create_symlink(outside.path() / "new", x.dir.path() / "link");
  CHECK(test::kind_of(x->write({"link", "x", {}})) == errc::tool);
  CHECK(fs::is_empty(outside.path()));
}

TEST_CASE("a hard link to a file outside is neither read nor written",
          "[attack]") {
  auto outside = test::temp_dir{};
  outside.write("secret", "SECRET");
  auto x = disk_space{};
  fs::create_hard_link(outside.path() / "secret", x.dir.path() / "twin");
  CHECK(message_of(x->read({"twin"})).find("several hard links")
        != std::string::npos);
  CHECK(test::kind_of(x->write({"twin", "x", {}})) == errc::tool);
  CHECK(x->grep({"SECRET", "", "", 0})->matches.empty());
  CHECK(outside.read("secret") == "SECRET");
}

TEST_CASE("a FIFO, a socket and a device hold nobody up", "[attack]") {
  auto x = disk_space{};
  REQUIRE(::mkfifo((x.dir.path() / "fifo").c_str(), 0600) == 0);
  CHECK(message_of(x->read({"fifo"})) == "\"fifo\" is not a regular file");
  CHECK(test::kind_of(x->write({"fifo", "x", {}})) == errc::tool);
  CHECK(x->grep({"x", "", "", 0})->matches.empty());
  CHECK(x->list({""})->entries.front().type == "other");
  auto policy = sandbox_settings{};
  auto where = workspace::open({"directory", "/dev", {}}, "/");
  REQUIRE(where);
  auto dev = make_disk_file_space(*where, policy);
  REQUIRE(dev);
  CHECK(message_of((*dev)->read({"zero"})) == "\"zero\" is not a regular file");
}

TEST_CASE("a huge directory is listed up to the cap", "[attack]") {
  auto limits = sandbox_limits{};
  limits.list = 100;
  auto x = disk_space{limits};
  for (auto i = 0; i < 5000; ++i) {
    auto path = x.dir.path() / std::to_string(i);
    ::close(::open(path.c_str(), O_CREAT | O_WRONLY, 0600));
  }
  auto found = x->list({""});
  REQUIRE(found);
  CHECK(found->entries.size() == 100);
  CHECK(found->truncated);
  CHECK(x->glob({"*", ""})->paths.size() == 100);
  CHECK(x->glob({"*", ""})->truncated);
}

TEST_CASE("a deep tree is walked without recursion", "[attack]") {
  auto x = disk_space{};
  auto path = std::string{};
  for (auto i = 0; i < 400; ++i)
    path += "d/";
  REQUIRE(x->write({path + "end.txt", "TODO", {}}));
  CHECK(x->glob({"**/*.txt", ""})->paths.front() == path + "end.txt");
  CHECK(x->grep({"TODO", "", "", 0})->matches.size() == 1);
}

TEST_CASE("a writer that races with a link swap stays inside", "[attack]") {
  auto outside = test::temp_dir{};
  auto x = disk_space{};
  fs::create_directory(x.dir.path() / "d");
  fs::create_directory_symlink(outside.path(), x.dir.path() / "link");
  auto stop = std::atomic<bool>{false};
  auto attacker = std::thread{[&] {
    auto a = x.dir.path() / "d";
    auto b = x.dir.path() / "link";
    while (!stop)
      ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
  }};
  auto written = 0;
  for (auto i = 0; i < 200; ++i)
    if (x->write({"d/" + std::to_string(i), "x", {}}))
      ++written;
  stop = true;
  attacker.join();
  CHECK(fs::is_empty(outside.path()));
  CHECK(written > 0);
}

TEST_CASE("a file that appears while it is created is not overwritten",
          "[attack]") {
  constexpr auto count = 200;
  auto x = disk_space{};
  auto stop = std::atomic<bool>{false};
  // Makes each file first, whenever it wins the race.
  auto other = std::thread{[&] {
    for (auto i = 0; !stop; i = (i + 1) % count) {
      auto path = x.dir.path() / std::to_string(i);
      ::close(::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600));
    }
  }};
  auto wrong = 0;
  for (auto i = 0; i < count; ++i) {
    auto name = std::to_string(i);
    auto written = x->write({name, "ours", {}}).operator bool();
    wrong += (x.dir.read(name) == "ours") == written ? 0 : 1;
  }
  stop = true;
  other.join();
  CHECK(wrong == 0);
}
