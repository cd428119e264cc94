#include "troupe/sandbox/artifact_store.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/owner_record.hpp"
#include "troupe/sandbox/unique_fd.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace troupe;
namespace fs = std::filesystem;

namespace {

/// A store in a folder of its own.
class store_bench {
public:
  explicit store_bench(artifact_limits limits = {})
    : fd_(::open(folder_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      store_(make_disk_artifacts(fd_.get()), limits) {
    // nop
  }

  artifact_store& sut() {
    return store_;
  }

  const test::temp_dir& folder() const {
    return folder_;
  }

  fs::path place_of(const std::string& reference) const {
    auto prefix = std::string{"workspace://artifacts/"};
    REQUIRE(reference.starts_with(prefix));
    return fs::path{folder_.path()} / reference.substr(prefix.size());
  }

  size_t entries() const {
    auto all = fs::directory_iterator{folder_.path()};
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }

  fault failure_of(std::vector<artifact_file> files) {
    auto before = entries();
    auto stored = store_.store({std::move(files)});
    REQUIRE_FALSE(stored);
    CHECK(entries() == before);
    return to_fault(stored.error());
  }

private:
  test::temp_dir folder_;
  unique_fd fd_;
  artifact_store store_;
};

mode_t mode_of(const fs::path& path) {
  struct stat found{};

  REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_mode & 07777;
}

std::string read(const fs::path& path) {
  auto in = std::ifstream{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_CASE("artifacts are stored byte for byte and for their owner alone",
          "[artifacts]") {
  auto x = store_bench{};
  auto bytes = std::string{"\0\xff\n", 3};
  auto stored = x.sut().store({{{"chart.png", bytes}, {"Ä b.txt", "text"}}});
  REQUIRE(stored);
  REQUIRE(stored->paths.size() == 2);
  auto chart = x.place_of(stored->paths[0]);
  CHECK(read(chart) == bytes);
  CHECK(read(x.place_of(stored->paths[1])) == "text");
  CHECK(mode_of(chart) == 0600);
  CHECK(mode_of(chart.parent_path()) == 0700);
  // The same names again are other files.
  auto again = x.sut().store({{{"chart.png", "other"}}});
  REQUIRE(again);
  CHECK(again->paths[0] != stored->paths[0]);
  CHECK(read(chart) == bytes);
}

TEST_CASE("what cannot name an artifact is refused", "[artifacts][attack]") {
  auto x = store_bench{};
  auto name = GENERATE(as<std::string>{}, "", ".", "..", ".hidden", "a/b",
                       "../a", "/etc/passwd", "workspace://root/a", "a/../b",
                       std::string{"a\0b", 3}, std::string(300, 'a'));
  INFO(name);
  CHECK(x.failure_of({{"good.txt", "x"}, {name, "x"}}).kind == errc::tool);
}

TEST_CASE("two artifacts of one operation have two names", "[artifacts]") {
  auto x = store_bench{};
  CHECK(x.failure_of({{"a", "x"}, {"a", "y"}}).kind == errc::tool);
}

TEST_CASE("artifacts have limits for a file, an operation and a run",
          "[artifacts]") {
  auto limits = artifact_limits{};
  limits.file = 10;
  limits.message = 15;
  limits.run = 25;
  limits.files = 3;
  auto x = store_bench{limits};
  auto ten = std::string(10, 'x');
  auto key_of = [&](std::vector<artifact_file> files) {
    auto why = x.failure_of(std::move(files));
    CHECK(why.kind == errc::limit);
    return why.where;
  };
  CHECK(key_of({{"a", ten + "x"}}) == "sandbox.artifacts.file");
  CHECK(key_of({{"a", ten}, {"b", "123456"}}) == "sandbox.artifacts.message");
  CHECK(key_of({{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}})
        == "sandbox.artifacts.files");
  CHECK(x.sut().store({{{"a", ten}, {"b", "12345"}}}));
  CHECK(key_of({{"a", ten + "x"}}) == "sandbox.artifacts.file");
  CHECK(key_of({{"a", "1234567890"}, {"b", "1"}}) == "sandbox.artifacts.run");
  CHECK(x.sut().store({{{"a", ten}}}));
  CHECK(key_of({{"a", ""}}) == "sandbox.artifacts.files");
}

TEST_CASE("an operation that fails half way stores nothing",
          "[artifacts][attack]") {
  auto x = store_bench{};
  auto before = rlimit{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto small = before;
  small.rlim_cur = 1000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  auto ignored = ::signal(SIGXFSZ, SIG_IGN);
  auto stored = x.sut().store(
    {{{"a", "small"}, {"b", std::string(2000, 'x')}, {"c", "small"}}});
  ::signal(SIGXFSZ, ignored);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  REQUIRE_FALSE(stored);
  CHECK(to_fault(stored.error()).kind == errc::sandbox);
  CHECK(x.entries() == 0);
  // It counted for nothing.
  CHECK(x.sut().store({{{"a", "small"}}}));
}

TEST_CASE("what a killed process left half stored is removed",
          "[artifacts][attack]") {
  auto x = store_bench{};
  auto owner = this_owner();
  auto gone = "troupe-999999999" + owner.substr(owner.find('.')) + "-1-2";
  auto mine = make_owned_name();
  for (const auto& name : {gone, mine, std::string{"troupe-other"}}) {
    fs::create_directory(fs::path{x.folder().path()} / name);
    x.folder().write(name + "/half.txt", "x");
  }
  REQUIRE(x.sut().store({{{"a", "x"}}}));
  CHECK_FALSE(fs::exists(fs::path{x.folder().path()} / gone));
  CHECK(x.entries() == 3);
}

TEST_CASE("a link in place of the folder is not followed",
          "[artifacts][attack]") {
  auto x = store_bench{};
  auto elsewhere = test::temp_dir{};
  elsewhere.write("keep.txt", "keep");
  auto owner = this_owner();
  auto gone = "troupe-999999999" + owner.substr(owner.find('.')) + "-1-2";
  fs::create_directory_symlink(elsewhere.path(),
                               fs::path{x.folder().path()} / gone);
  REQUIRE(x.sut().store({{{"a", "x"}}}));
  CHECK(elsewhere.read("keep.txt") == "keep");
}
