#include "troupe/sandbox/remove_tree.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/sandbox/unique_fd.hpp"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>

using namespace troupe;
namespace fs = std::filesystem;

namespace {

int remove_at(const fs::path& path) {
  auto fd = unique_fd{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  return remove_contents(fd.get());
}

} // namespace

TEST_CASE("removing a tree leaves an empty directory", "[remove_tree]") {
  auto dir = test::temp_dir{};
  dir.write("a/b/c/d.txt", "x");
  dir.write("a/b2/e.txt", "x");
  dir.write("f.txt", "x");
  fs::create_directories(dir.path() / "empty/empty");
  CHECK(remove_at(dir.path()) == 0);
  CHECK(fs::is_empty(dir.path()));
}

TEST_CASE("removing a tree removes links, not what they lead to",
          "[remove_tree][attack]") {
  auto dir = test::temp_dir{};
  dir.write("outside/keep.txt", "keep");
  dir.write("tree/sub/x.txt", "x");
  fs::create_directory_symlink(dir.path() / "outside",
                               dir.path() / "tree/link");
  fs::create_directory_symlink("../../outside", dir.path() / "tree/sub/link");
  CHECK(remove_at(dir.path() / "tree") == 0);
  CHECK(dir.read("outside/keep.txt") == "keep");
  CHECK(fs::is_empty(dir.path() / "tree"));
}

TEST_CASE("removing a tree is not stopped by its depth",
          "[remove_tree][attack]") {
  auto dir = test::temp_dir{};
  auto at = unique_fd{::open(dir.path().c_str(), O_PATH | O_DIRECTORY)};
  for (auto i = 0; i < 1000; ++i) {
    REQUIRE(::mkdirat(at.get(), "directory", 0700) == 0);
    at = unique_fd{::openat(at.get(), "directory", O_PATH | O_DIRECTORY)};
  }
  CHECK(remove_at(dir.path()) == 0);
  CHECK(fs::is_empty(dir.path()));
}

TEST_CASE("removing a tree is not stopped by names that look like its own",
          "[remove_tree][attack]") {
  auto dir = test::temp_dir{};
  for (auto i = 0; i < 5; ++i)
    dir.write(".troupe-removed-" + std::to_string(i) + "/a/b/c", "x");
  dir.write(".troupe-removed-7", "x");
  CHECK(remove_at(dir.path()) == 0);
  CHECK(fs::is_empty(dir.path()));
}

TEST_CASE("removing a tree is not stopped by modes its owner may change",
          "[remove_tree][attack]") {
  auto dir = test::temp_dir{};
  dir.write("a/b/c.txt", "x");
  ::chmod((dir.path() / "a/b").c_str(), 0);
  ::chmod((dir.path() / "a").c_str(), 0500);
  CHECK(remove_at(dir.path()) == 0);
  CHECK(fs::is_empty(dir.path()));
}

TEST_CASE("removing what is no directory tells why", "[remove_tree]") {
  CHECK(remove_contents(-1) == EBADF);
}
