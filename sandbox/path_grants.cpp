#include "troupe/sandbox/path_grants.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/workspace.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <algorithm>
#include <map>

#include <sys/stat.h>

namespace troupe {

namespace {

caf::expected<path_grant> make_grant(const workspace& where,
                                     const std::string& name,
                                     file_access access) {
  const auto* found = where.find(name);
  if (found == nullptr)
    return make_error(errc::policy,
                      "the workspace has no path " + in_quotes(name),
                      "sandbox.files", "add it to workspace.paths");

  struct stat opened{};

  struct stat named{};

  if (::fstat(found->descriptor, &opened) != 0
      || ::lstat(found->path.c_str(), &named) != 0
      || opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
    return make_error(errc::sandbox,
                      in_quotes(found->path)
                        + " is no longer the directory that was opened",
                      "workspace." + name);
  auto result = path_grant{};
  result.name = name;
  result.path = found->path;
  result.access = access;
  result.device = opened.st_dev;
  result.inode = opened.st_ino;
  return result;
}

// Outer ones come first: a path sorts before what it is a prefix of.
void nest(std::vector<path_grant>& grants) {
  for (size_t i = 0; i < grants.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (is_within(grants[i].path, grants[k].path)) {
        grants[i].within = static_cast<int>(k);
        grants[i].access = std::min(grants[i].access, grants[k].access);
      }
}

} // namespace

caf::expected<std::vector<path_grant>>
grant_paths(const workspace& where, const sandbox_settings& policy) {
  auto wanted = policy.files;
  for (const auto& [name, access] : policy.runtime_paths) {
    auto& entry = wanted.emplace(name, access).first->second;
    entry = std::min(entry, access);
  }
  auto result = std::vector<path_grant>{};
  for (const auto& [name, access] : wanted) {
    auto grant = make_grant(where, name, access);
    if (!grant)
      return grant.error();
    result.push_back(std::move(*grant));
  }
  std::sort(result.begin(), result.end(),
            [](const auto& x, const auto& y) { return x.path < y.path; });
  nest(result);
  return result;
}

bool is_within(const std::string& path, const std::string& base) {
  if (base == "/")
    return true;
  return path.starts_with(base)
         && (path.size() == base.size() || path[base.size()] == '/');
}

} // namespace troupe
