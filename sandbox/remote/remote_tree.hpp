#pragma once

#include "troupe/sandbox/file_tree.hpp"
#include "troupe/sandbox/remote/remote_calls.hpp"

#include <memory>

namespace troupe {

/// The files of a remote sandbox. Directories are listed by a shell there: the
/// path is an argument of its script, never a part of it. What the remote does
/// with links is up to it.
class remote_tree : public file_tree {
public:
  /// No file has more than `largest` bytes, no listing more than `entries`.
  remote_tree(std::shared_ptr<remote_calls> calls, uint64_t largest,
              uint64_t entries);

  caf::error read(const tree_path& path, const byte_sink& sink) override;
  caf::error list(const tree_path& path, const entry_sink& sink) override;
  caf::expected<write_outcome> write(const tree_path& path,
                                     std::string_view content,
                                     const std::string& known) override;
  bool guards_overwrites() const override;

private:
  std::shared_ptr<remote_calls> calls_;
  uint64_t largest_;
  uint64_t entries_;
};

} // namespace troupe
