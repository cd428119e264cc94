#pragma once

#include "troupe/sandbox/file_tree.hpp"
#include "troupe/sandbox/scoped_open.hpp"

#include <optional>

namespace troupe {

/// Files beneath one directory of the host, reached by its descriptor.
class disk_tree : public file_tree {
public:
  /// `directory` stays the caller's and must outlive the tree.
  disk_tree(int directory, resolution how);

  caf::error read(const tree_path& path, const byte_sink& sink) override;
  caf::error list(const tree_path& path, const entry_sink& sink) override;
  caf::expected<write_outcome> write(const tree_path& path,
                                     std::string_view content,
                                     const std::string& known) override;
  bool guards_overwrites() const override;

private:
  /// The status of the file that `path` may replace; none: nothing is there.
  caf::expected<std::optional<struct stat>>
  check_target(const tree_path& path, const std::string& known);

  int directory_;
  resolution how_;
};

} // namespace troupe
