#pragma once

#include "caf/expected.hpp"

#include <string>
#include <string_view>

namespace troupe {

/// A path of a workspace in its one canonical form: no link, descriptor or
/// disk is looked at to get it.
struct workspace_path {
  /// The named path it lies in; "root" for the workspace root.
  std::string name = "root";
  /// Beneath that directory: "a/b", without "." and ".."; empty is the
  /// directory itself.
  std::string relative;
};

/// Reads what a model wrote: a path relative to the workspace root, or
/// "workspace://NAME/…". Empty and "." are the root. Errors (kind tool): an
/// absolute path, ".." that leaves, NUL, a part or path that is too long,
/// another scheme.
caf::expected<workspace_path> parse_workspace_path(std::string_view text);

/// The canonical spelling: "src/a.txt", ".", "workspace://source/x",
/// "workspace://source".
std::string to_string(const workspace_path& path);

/// Whether `name` can name a workspace path: letters, digits, "_" and "-".
bool is_workspace_name(std::string_view name) noexcept;

/// `text` for a sentence: in quotes, valid UTF-8, shortened.
std::string in_quotes(std::string_view text);

} // namespace troupe
