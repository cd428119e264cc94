#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/file_tree.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <map>
#include <memory>
#include <string>

namespace troupe {

/// The named paths that tools see, each with its tree and its access. Where one
/// lies within another, the more restrictive access of the two counts for
/// everything beneath it, whichever name is used; so a path has one access and
/// one canonical form.
class mounted_trees {
public:
  /// Where a path leads.
  struct target {
    file_tree* tree = nullptr;
    file_access access = file_access::read_only;
    tree_path path;
    /// The same for every spelling of one file.
    std::string canonical;
  };

  void add(const std::string& name, file_access access,
           std::shared_ptr<file_tree> tree);

  /// Says that `relative` of `outer` is the root of `inner`, which must have
  /// been added too. An empty `inner` closes it to tools.
  void nest(const std::string& outer, const std::string& relative,
            const std::string& inner);

  /// Errors: tool (no such name), policy (closed).
  caf::expected<target> find(const workspace_path& path) const;

private:
  struct mount {
    file_access access = file_access::read_only;
    std::shared_ptr<file_tree> tree;
    /// Path beneath this one -> name.
    std::map<std::string, std::string> nested;
  };

  caf::error unknown(const std::string& name) const;

  std::map<std::string, mount> mounts_;
};

} // namespace troupe
