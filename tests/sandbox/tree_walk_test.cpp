#include "troupe/sandbox/tree_walk.hpp"

#include "support/catch.hpp"

#include "troupe/sandbox/memory_tree.hpp"

#include <chrono>
#include <memory>

using namespace troupe;
using namespace std::chrono_literals;
using paths = std::vector<std::string>;

namespace {

// Three directories with three files each.
mounted_trees nine_files() {
  auto tree = std::make_unique<memory_tree>(1u << 20);
  for (const auto* path :
       {"a/1", "a/2", "a/3", "b/1", "b/2", "b/3", "c/1", "c/2", "c/3"})
    REQUIRE(tree->write({path, path}, "", ""));
  auto result = mounted_trees{};
  result.add("root", file_access::read_only, std::move(tree));
  return result;
}

struct outcome {
  paths found;
  walk_end end = walk_end::complete;
};

outcome walk(uint64_t directory, uint64_t total, caf::timespan time = 1h) {
  auto files = nine_files();
  auto pattern = glob_pattern::parse("**");
  REQUIRE(pattern);
  auto bounds = walk_bounds{.time = time_budget{time}};
  bounds.directory = directory;
  bounds.total = total;
  auto result = outcome{};
  auto sut = tree_walk{files, *pattern, bounds};
  auto end = sut.run({}, [&](const workspace_path& path) {
    result.found.push_back(path.relative);
    return true;
  });
  REQUIRE(end);
  result.end = *end;
  return result;
}

} // namespace

TEST_CASE("a walk within its bounds is complete", "[tree_walk]") {
  // Three directories and nine files.
  auto all = walk(3, 12);
  CHECK(all.found.size() == 9);
  CHECK(all.end == walk_end::complete);
}

TEST_CASE("the bound of a directory cuts each one", "[tree_walk]") {
  auto some = walk(2, 12);
  CHECK(some.found == paths{"a/1", "a/2", "b/1", "b/2"});
  CHECK(some.end == walk_end::cut);
}

TEST_CASE("no directory is looked into after the bound of all was met",
          "[tree_walk]") {
  for (auto total = size_t{3}; total < 12; ++total) {
    auto some = walk(3, total);
    CAPTURE(total);
    CHECK(some.found.size() == total - 3);
    CHECK(some.end == walk_end::cut);
  }
}

TEST_CASE("a walk without time enters nothing", "[tree_walk]") {
  auto none = walk(3, 12, 0s);
  CHECK(none.found.empty());
  CHECK(none.end == walk_end::cut);
}
