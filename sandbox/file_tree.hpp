#pragma once

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace troupe {

/// A path in one tree, and what sentences call it.
struct tree_path {
  /// As `workspace_path::relative`.
  std::string relative;
  std::string spelling;
};

enum class entry_kind : uint8_t { file, directory, link, other };

struct tree_entry {
  std::string name;
  entry_kind kind = entry_kind::other;
  uint64_t bytes = 0;
};

/// Whether a write made a file or replaced one.
enum class write_outcome : uint8_t { created, replaced };

/// Take pieces or entries; false ends the reading.
using byte_sink = std::function<bool(std::string_view piece)>;
using entry_sink = std::function<bool(tree_entry entry)>;

/// Where files are: the one thing that differs between the memory and a disk.
/// Knows no limits and no access. Links are entries, never followed.
class file_tree {
public:
  file_tree() = default;
  file_tree(const file_tree&) = delete;
  file_tree& operator=(const file_tree&) = delete;
  virtual ~file_tree();

  /// Hands the bytes of a file to `sink` as they come.
  virtual caf::error read(const tree_path& path, const byte_sink& sink) = 0;

  /// Hands the entries of a directory to `sink`, in no order.
  virtual caf::error list(const tree_path& path, const entry_sink& sink) = 0;

  /// Makes a file hold `content`, atomically; makes directories it lacks.
  /// `known` is the digest the caller last saw of it, and counts where files
  /// are guarded.
  virtual caf::expected<write_outcome> write(const tree_path& path,
                                             std::string_view content,
                                             const std::string& known)
    = 0;

  /// Whether a file may be overwritten only by who knows what is in it.
  virtual bool guards_overwrites() const = 0;
};

/// The rule for overwriting a guarded file: `known` must be its digest
/// `current`. The error is the sentence for the model.
caf::error check_overwrite(const std::string& spelling,
                           const std::string& known,
                           const std::string& current);

/// What to say about a file that is not what the caller has seen.
caf::error stale_error(const std::string& spelling);

} // namespace troupe
