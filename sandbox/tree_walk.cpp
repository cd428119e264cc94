#include "troupe/sandbox/tree_walk.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

workspace_path child_of(const workspace_path& parent, const std::string& name) {
  auto result = parent;
  result.relative.append(result.relative.empty() ? "" : "/").append(name);
  return result;
}

} // namespace

tree_walk::tree_walk(const mounted_trees& files, const glob_pattern& pattern,
                     walk_bounds bounds)
  : files_(files),
    pattern_(pattern),
    bounds_(bounds) {
  // nop
}

caf::expected<walk_end> tree_walk::run(const workspace_path& base,
                                       const visitor& visit) {
  if (auto failed = enter(base, pattern_.start()))
    return failed;
  while (!open_.empty())
    if (!advance(visit))
      return walk_end::cut;
  return cut_ ? walk_end::cut : walk_end::complete;
}

caf::error tree_walk::enter(workspace_path path, glob_pattern::positions at) {
  auto target = files_.find(path);
  if (!target)
    return target.error();
  auto next = frame{std::move(path), std::move(at), {}};
  auto seen = uint64_t{0};
  auto failed = target->tree->list(target->path, [&](tree_entry entry) {
    return take(next, entry, seen);
  });
  if (failed)
    return failed;
  // With a '/' behind directories, the order is that of whole paths. An item
  // that matches and is entered counts as both: it comes first by itself.
  std::sort(next.items.begin(), next.items.end(),
            [](const item& x, const item& y) {
              auto key = [](const item& z) {
                return z.is_entered ? z.name + "/" : z.name;
              };
              return key(y) < key(x);
            });
  open_.push_back(std::move(next));
  return {};
}

// Keeps an entry that matters; false when a bound is met.
bool tree_walk::take(frame& to, const tree_entry& entry, uint64_t& seen) {
  // A bound that was met stays met: other directories follow.
  if (seen >= bounds_.directory || total_ >= bounds_.total
      || (total_ % 64 == 63 && bounds_.time.is_spent())) {
    cut_ = true;
    return false;
  }
  ++seen;
  ++total_;
  auto is_directory = entry.kind == entry_kind::directory;
  if (!is_directory && entry.kind != entry_kind::file)
    return true;
  auto at = pattern_.step(to.at, entry.name);
  auto is_match = pattern_.accepts(at)
                  && is_directory == pattern_.wants_directories();
  auto is_entered = is_directory && pattern_.continues(at);
  if (is_match || is_entered)
    to.items.push_back(item{entry.name, is_match, is_entered});
  return true;
}

bool tree_walk::advance(const visitor& visit) {
  auto& current = open_.back();
  if (current.items.empty()) {
    open_.pop_back();
    return true;
  }
  auto next = std::move(current.items.back());
  current.items.pop_back();
  auto path = child_of(current.path, next.name);
  if (next.is_match && !visit(path))
    return false;
  if (!next.is_entered || bounds_.time.is_spent()) {
    cut_ = cut_ || next.is_entered;
    return true;
  }
  // What cannot be listed is passed over: it is closed, or just gone.
  auto at = pattern_.step(current.at, next.name);
  if (auto failed = enter(std::move(path), std::move(at)))
    return true;
  return true;
}

} // namespace troupe
