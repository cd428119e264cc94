#include "troupe/sandbox/workspace.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/owner_record.hpp"

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

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

TEST_CASE("a workspace is set up before its paths and torn down once",
          "[workspace]") {
  auto dir = test::temp_dir{};
  auto elsewhere = test::temp_dir{};
  auto made = elsewhere.path() / "made";
  auto seen = std::vector<std::string>{};
  auto callbacks = workspace_callbacks{};
  callbacks.setup = [&](const workspace_settings& where) {
    seen.push_back("setup " + where.root);
    fs::create_directory(where.paths.at("tools"));
  };
  callbacks.teardown = [&](const workspace_settings& where) {
    seen.push_back("teardown " + where.root);
    CHECK(fs::exists(where.root));
  };
  auto root = std::string{};
  SECTION("of a directory") {
    auto settings = workspace_settings{"directory", dir.path(), {}};
    settings.paths["tools"] = made;
    auto sut = workspace::open(settings, "/", callbacks);
    REQUIRE(sut);
    root = dir.path();
    CHECK_FALSE((*sut)->close());
    CHECK_FALSE((*sut)->close());
  }
  SECTION("that is temporary") {
    auto settings = workspace_settings{"temporary", ".", {}};
    settings.paths["tools"] = made;
    auto sut = workspace::open(settings, "/", callbacks);
    REQUIRE(sut);
    root = (*sut)->root().path;
    sut->reset();
    CHECK_FALSE(fs::exists(root));
  }
  SECTION("that cannot be opened after all") {
    auto settings = workspace_settings{"directory", dir.path(), {}};
    settings.paths["tools"] = made;
    settings.paths["zebra"] = dir.path() / "missing";
    root = dir.path();
    CHECK_FALSE(workspace::open(settings, "/", callbacks));
  }
  CHECK(seen == std::vector{"setup " + root, "teardown " + root});
}

TEST_CASE("what a callback of a workspace throws is an error", "[workspace]") {
  auto callbacks = workspace_callbacks{};
  SECTION("of the setup: nothing is left, and nothing is torn down") {
    auto root = std::string{};
    callbacks.setup = [&](const workspace_settings& where) {
      root = where.root;
      throw std::runtime_error{"no disk"};
    };
    callbacks.teardown = [](const workspace_settings&) { FAIL(); };
    auto sut = workspace::open({"temporary", ".", {}}, "/", callbacks);
    REQUIRE_FALSE(sut);
    CHECK(to_fault(sut.error()).message
          == "the setup of the workspace failed: no disk");
    CHECK_FALSE(fs::exists(root));
  }
  SECTION("of the teardown: the folder is removed all the same") {
    callbacks.teardown = [](const workspace_settings&) { throw 7; };
    auto sut = workspace::open({"temporary", ".", {}}, "/", callbacks);
    REQUIRE(sut);
    auto root = (*sut)->root().path;
    auto failed = (*sut)->close();
    REQUIRE(failed);
    CHECK(to_fault(failed).message
          == "the teardown of the workspace failed: an exception of an "
             "unknown type");
    CHECK_FALSE(fs::exists(root));
  }
}

TEST_CASE("a temporary workspace whose process was killed is swept by its "
          "record",
          "[workspace][attack]") {
  auto pipe = std::array<int, 2>{};
  REQUIRE(::pipe(pipe.data()) == 0);
  auto owner = ::fork();
  if (owner == 0) {
    auto sut = workspace::open({"temporary", ".", {}}, "/");
    auto root = sut ? (*sut)->root().path : std::string{};
    std::ofstream{root + "/secret.txt"} << "x";
    auto count = ::write(pipe[1], root.data(), root.size());
    ::kill(::getpid(), SIGKILL);
    ::_exit(count > 0 ? 0 : 1);
  }
  ::close(pipe[1]);
  auto text = std::array<char, 512>{};
  auto count = ::read(pipe[0], text.data(), text.size());
  ::close(pipe[0]);
  ::waitpid(owner, nullptr, 0);
  REQUIRE(count > 0);
  auto left = fs::path{std::string{text.data(), static_cast<size_t>(count)}};
  REQUIRE(fs::exists(left / "secret.txt"));
  // A folder of that form that has no record, and one that lives.
  auto stranger = left.parent_path() / (left.filename().string() + "9");
  fs::create_directory(stranger);
  auto living = workspace::open({"temporary", ".", {}}, "/");
  REQUIRE(living);
  SECTION("itself") {
    CHECK_FALSE(fs::exists(left));
  }
  SECTION("but not what stands in its place") {
    // The record is gone with the folder: make both once more.
    CHECK_FALSE(fs::exists(left));
    auto record = fs::path{owner_record_folder("folders")} / left.filename();
    fs::create_directory(left);
    std::ofstream{left / "of_somebody_else.txt"} << "x";
    fs::create_symlink("1:1:" + left.string(), record);
    auto next = workspace::open({"temporary", ".", {}}, "/");
    REQUIRE(next);
    CHECK(fs::exists(left / "of_somebody_else.txt"));
    CHECK_FALSE(fs::is_symlink(record));
    fs::remove_all(left);
  }
  CHECK(fs::exists(stranger));
  CHECK(fs::exists((*living)->root().path));
  fs::remove(stranger);
}
