#include "troupe/sandbox/tree_walk.hpp"

#include "support/catch.hpp"

#include "troupe/sandbox/memory_tree.hpp"
#include "troupe/sandbox/tree_file_space.hpp"

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

/// One directory of files without end; counts those that were looked at.
class endless_tree : public file_tree {
public:
  explicit endless_tree(uint64_t& count) : count_(count) {
    // nop
  }

  caf::error read(const tree_path&, const byte_sink& sink) override {
    sink("line\n");
    return {};
  }

  caf::error list(const tree_path&, const entry_sink& sink) override {
    for (;;) {
      ++count_;
      if (!sink({"f" + std::to_string(count_), entry_kind::file, 5}))
        return {};
    }
  }

  caf::expected<write_outcome> write(const tree_path&, std::string_view,
                                     const std::string&) override {
    return write_outcome::created;
  }

  bool guards_overwrites() const override {
    return false;
  }

private:
  uint64_t& count_;
};

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

TEST_CASE("listing, matching and searching stop at the cap while they read",
          "[tree_walk]") {
  auto count = uint64_t{0};
  auto trees = mounted_trees{};
  trees.add("root", file_access::read_only,
            std::make_unique<endless_tree>(count));
  auto limits = sandbox_limits{};
  limits.list = 10;
  auto sut = tree_file_space{std::move(trees), limits};
  auto listed = sut.list({});
  REQUIRE(listed);
  CHECK(listed->entries.size() == 10);
  CHECK(listed->truncated);
  CHECK(count == 11);
  count = 0;
  auto matched = sut.glob({"*", ""});
  REQUIRE(matched);
  CHECK(matched->paths.size() == 10);
  CHECK(matched->truncated);
  CHECK(count == 11);
  // Where nothing matches, too.
  count = 0;
  CHECK(sut.glob({"*.none", ""})->truncated);
  CHECK(count == 11);
  count = 0;
  auto request = grep_request{};
  request.pattern = "line";
  auto found = sut.grep(request);
  REQUIRE(found);
  CHECK(found->truncated);
  // One more tells that it is a directory.
  CHECK(count == 12);
}
