#include "troupe/sandbox/mounted_trees.hpp"

#include "troupe/config/errc.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

bool lies_in(const std::string& path, const std::string& directory) {
  return path.starts_with(directory)
         && (path.size() == directory.size() || path[directory.size()] == '/');
}

std::string beneath(const std::string& path, const std::string& directory) {
  return path.size() == directory.size() ? ""
                                         : path.substr(directory.size() + 1);
}

} // namespace

void mounted_trees::add(const std::string& name, file_access access,
                        std::shared_ptr<file_tree> tree) {
  auto& x = mounts_[name];
  x.access = access;
  x.tree = std::move(tree);
}

void mounted_trees::nest(const std::string& outer, const std::string& relative,
                         const std::string& inner) {
  auto& around = mounts_.at(outer);
  around.nested[relative] = inner;
  if (inner.empty())
    return;
  auto& access = mounts_.at(inner).access;
  access = std::min(access, around.access);
}

caf::expected<mounted_trees::target>
mounted_trees::find(const workspace_path& path) const {
  auto at = mounts_.find(path.name);
  if (at == mounts_.end())
    return unknown(path.name);
  auto place = path;
  const std::pair<const std::string, std::string>* deepest = nullptr;
  for (const auto& entry : at->second.nested)
    if (lies_in(path.relative, entry.first)
        && (deepest == nullptr || entry.first.size() > deepest->first.size()))
      deepest = &entry;
  if (deepest != nullptr) {
    if (deepest->second.empty())
      return make_error(errc::policy, in_quotes(to_string(path))
                                        + " is closed to file tools");
    place.name = deepest->second;
    place.relative = beneath(path.relative, deepest->first);
    at = mounts_.find(place.name);
  }
  const auto& found = at->second;
  return target{found.tree.get(), found.access,
                tree_path{place.relative, to_string(path)}, to_string(place)};
}

caf::error mounted_trees::unknown(const std::string& name) const {
  auto names = std::string{};
  for (const auto& [known, entry] : mounts_)
    names += (names.empty() ? "" : ", ") + known;
  return make_error(errc::tool, in_quotes(name)
                                  + " is no workspace path that tools see: "
                                  + (names.empty() ? "there are none" : names));
}

} // namespace troupe
