#pragma once

#include "troupe/sandbox/file_tree.hpp"

#include <map>

namespace troupe {

/// Files in memory. A directory is there as long as something is in it.
class memory_tree : public file_tree {
public:
  /// Holds at most `capacity` bytes of names and contents.
  explicit memory_tree(uint64_t capacity);

  caf::error read(const tree_path& path, const byte_sink& sink) override;
  caf::error list(const tree_path& path, const entry_sink& sink) override;
  caf::expected<write_outcome> write(const tree_path& path,
                                     std::string_view content,
                                     const std::string& known) override;
  bool guards_overwrites() const override;

private:
  bool is_directory(const std::string& path) const;
  /// The error for a path at which no file is.
  caf::error missing(const tree_path& path) const;
  bool leads_through_file(const std::string& path) const;

  std::map<std::string, std::string, std::less<>> files_;
  uint64_t capacity_;
  uint64_t used_ = 0;
};

} // namespace troupe
