#include "troupe/sandbox/workspace.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"

#include <filesystem>

using namespace troupe;
namespace fs = std::filesystem;

namespace {

workspace_settings directory_with(std::map<std::string, std::string> paths) {
  return {"directory", ".", std::move(paths)};
}

errc kind_of(const workspace_settings& settings, const std::string& base) {
  auto opened = workspace::open(settings, base);
  REQUIRE_FALSE(opened);
  CHECK_FALSE(to_fault(opened.error()).where.empty());
  return to_fault(opened.error()).kind;
}

} // namespace

TEST_CASE("a workspace opens its root and its named paths", "[workspace]") {
  auto dir = test::temp_dir{};
  auto other = test::temp_dir{};
  auto sut = workspace::open(directory_with({{"out", "build/out"},
                                             {"data", other.path().string()}}),
                             dir.path().string());
  REQUIRE(sut);
  CHECK((*sut)->root().path == fs::canonical(dir.path()).string());
  CHECK(fs::is_directory(dir.path() / "build/out"));
  REQUIRE((*sut)->find("out"));
  CHECK((*sut)->find("out")->path
        == (fs::canonical(dir.path()) / "build/out").string());
  CHECK((*sut)->find("data")->descriptor >= 0);
  CHECK((*sut)->find("nothing") == nullptr);
  CHECK_FALSE((*sut)->close());
  CHECK_FALSE((*sut)->close());
  CHECK((*sut)->root().descriptor == -1);
  CHECK(fs::is_directory(dir.path() / "build/out"));
}

TEST_CASE("a workspace resolves the operator's own links once", "[workspace]") {
  auto dir = test::temp_dir{};
  fs::create_directory(dir.path() / "real");
  fs::create_directory_symlink("real", dir.path() / "link");
  auto sut = workspace::open({"directory", "link", {}}, dir.path().string());
  REQUIRE(sut);
  CHECK((*sut)->root().path == (fs::canonical(dir.path()) / "real").string());
}

TEST_CASE("a workspace that cannot be is a configuration error",
          "[workspace]") {
  auto dir = test::temp_dir{};
  dir.write("file", "x");
  auto base = dir.path().string();
  CHECK(kind_of({"directory", "missing", {}}, base) == errc::configuration);
  CHECK(kind_of({"directory", "file", {}}, base) == errc::configuration);
  CHECK(kind_of({"cloud", ".", {}}, base) == errc::configuration);
  for (const auto* path : {"../x", "", ".", "a/../..", "workspace://x/y"})
    CHECK(kind_of(directory_with({{"x", path}}), base) == errc::configuration);
  CHECK(kind_of(directory_with({{"x", "/no/such/directory"}}), base)
        == errc::configuration);
  for (const auto* name : {"root", "", "a/b", "..", "ü"})
    CHECK(kind_of(directory_with({{name, "x"}}), base) == errc::configuration);
}

TEST_CASE("two names for one directory are refused", "[workspace][attack]") {
  auto dir = test::temp_dir{};
  auto base = dir.path().string();
  CHECK(kind_of(directory_with({{"a", "x"}, {"b", "x/../x"}}), base)
        == errc::configuration);
  CHECK(kind_of(directory_with({{"a", base}}), base) == errc::configuration);
}

TEST_CASE("a named path is made through no link", "[workspace][attack]") {
  auto dir = test::temp_dir{};
  auto outside = test::temp_dir{};
  fs::create_directory_symlink(outside.path(), dir.path() / "link");
  CHECK(kind_of(directory_with({{"x", "link/evil"}}), dir.path().string())
        == errc::configuration);
  CHECK(fs::is_empty(outside.path()));
}

TEST_CASE("a temporary workspace is gone after closing", "[workspace]") {
  auto other = test::temp_dir{};
  auto sut = workspace::open(
    {"temporary", ".", {{"in", "sub"}, {"data", other.path().string()}}}, "/");
  REQUIRE(sut);
  auto root = fs::path{(*sut)->root().path};
  REQUIRE(fs::is_directory(root / "sub"));
  CHECK((fs::status(root).permissions() & fs::perms::others_all)
        == fs::perms::none);
  SECTION("by closing it") {
    CHECK_FALSE((*sut)->close());
    CHECK_FALSE((*sut)->close());
  }
  SECTION("by dropping it") {
    sut->reset();
  }
  CHECK_FALSE(fs::exists(root));
  CHECK(fs::is_directory(other.path()));
}

TEST_CASE("a temporary workspace that was replaced is reported, not removed",
          "[workspace][attack]") {
  auto dir = test::temp_dir{};
  dir.write("victim/keep.txt", "keep");
  auto sut = workspace::open({"temporary", ".", {}}, "/");
  REQUIRE(sut);
  auto root = fs::path{(*sut)->root().path};
  fs::rename(root, dir.path() / "moved");
  fs::create_directory_symlink(dir.path() / "victim", root);
  auto failed = (*sut)->close();
  fs::remove(root);
  REQUIRE(failed);
  CHECK(to_fault(failed).kind == errc::sandbox);
  CHECK(dir.read("victim/keep.txt") == "keep");
}
