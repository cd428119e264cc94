#pragma once

#include "troupe/sandbox/glob_pattern.hpp"
#include "troupe/sandbox/mounted_trees.hpp"
#include "troupe/sandbox/time_budget.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace troupe {

/// What a walk may cost.
struct walk_bounds {
  /// Entries looked at in one directory, and in all.
  uint64_t directory = 10'000;
  uint64_t total = 500'000;
  time_budget time;
};

enum class walk_end : uint8_t {
  complete,
  /// A bound was met, or the visitor had enough.
  cut,
};

/// Visits what matches a pattern beneath a directory, in the order of the
/// paths, entering no link and no directory in which nothing can match.
/// Directories that cannot be read are passed over.
class tree_walk {
public:
  /// Takes a path that matches; false ends the walk.
  using visitor = std::function<bool(const workspace_path& path)>;

  /// All must outlive the walk.
  tree_walk(const mounted_trees& files, const glob_pattern& pattern,
            walk_bounds bounds);

  /// Fails when `base` is no directory that can be listed.
  caf::expected<walk_end> run(const workspace_path& base, const visitor& visit);

private:
  struct item {
    std::string name;
    bool is_match = false;
    bool is_entered = false;
  };

  /// A directory whose items still wait, the next one last.
  struct frame {
    workspace_path path;
    glob_pattern::positions at;
    std::vector<item> items;
  };

  caf::error enter(workspace_path path, glob_pattern::positions at);
  bool take(frame& to, const tree_entry& entry, uint64_t& seen);
  bool advance(const visitor& visit);

  const mounted_trees& files_;
  const glob_pattern& pattern_;
  walk_bounds bounds_;
  std::vector<frame> open_;
  uint64_t total_ = 0;
  bool cut_ = false;
};

} // namespace troupe
