#include "troupe/sandbox/file_space.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/disk_tree.hpp"
#include "troupe/sandbox/memory_tree.hpp"
#include "troupe/sandbox/tree_file_space.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <utility>

namespace troupe {

namespace {

/// Keeps the descriptors open as long as the trees use them.
class disk_file_space : public tree_file_space {
public:
  disk_file_space(std::shared_ptr<const workspace> where, mounted_trees files,
                  sandbox_limits limits)
    : tree_file_space(std::move(files), limits),
      where_(std::move(where)) {
    // nop
  }

private:
  std::shared_ptr<const workspace> where_;
};

// Ties together what lies in one another. By name: beneath a directory no link
// is followed, so a path is the only way to a place.
void nest(mounted_trees& files, const workspace& where,
          const sandbox_settings& policy) {
  for (const auto& [outer, access] : policy.files) {
    auto prefix = where.find(outer)->path;
    prefix += prefix == "/" ? "" : "/";
    for (const auto& [inner, entry] : where.directories()) {
      if (!entry.path.starts_with(prefix))
        continue;
      auto relative = entry.path.substr(prefix.size());
      if (policy.files.count(inner) > 0)
        files.nest(outer, relative, inner);
      else if (policy.runtime_paths.count(inner) > 0)
        files.nest(outer, relative, "");
    }
  }
}

} // namespace

file_space::~file_space() {
  // nop
}

std::unique_ptr<file_space>
make_memory_file_space(sandbox_limits limits,
                       std::shared_ptr<memory_tree> artifacts) {
  auto files = mounted_trees{};
  files.add("root", file_access::read_write,
            std::make_shared<memory_tree>(limits.tmp));
  if (artifacts)
    files.add("artifacts", file_access::read_only, std::move(artifacts));
  return std::make_unique<tree_file_space>(std::move(files), limits);
}

caf::expected<std::unique_ptr<file_space>>
make_disk_file_space(std::shared_ptr<const workspace> where,
                     const sandbox_settings& policy) {
  auto files = mounted_trees{};
  auto how = probe_resolution();
  for (const auto& [name, access] : policy.files) {
    const auto* directory = where->find(name);
    if (directory == nullptr)
      return make_error(errc::configuration,
                        "the workspace has no path " + in_quotes(name),
                        "sandbox.files." + name,
                        "name it under workspace.paths");
    files.add(name, access,
              std::make_shared<disk_tree>(directory->descriptor, how));
  }
  nest(files, *where, policy);
  auto result = std::unique_ptr<file_space>{std::make_unique<disk_file_space>(
    std::move(where), std::move(files), policy.limits)};
  return result;
}

} // namespace troupe
