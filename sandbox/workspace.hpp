#pragma once

#include "troupe/config/sandbox_settings.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <map>
#include <memory>
#include <string>

namespace troupe {

/// Named directories on this host that belong to one run: the root and the
/// named paths, each held by an open directory descriptor. Closing a
/// temporary workspace removes it; a directory one stays as it is.
class workspace {
public:
  /// One directory of a workspace.
  struct directory {
    /// The real path, links resolved once on opening.
    std::string path;
    /// An O_PATH descriptor, owned by the workspace.
    int descriptor = -1;
  };

  /// Opens what `settings` describes; a relative root counts from `base`, a
  /// relative named path is created beneath the root without following links.
  /// Errors: configuration (missing, no directory, two names for one
  /// directory), sandbox (the system refused).
  static caf::expected<std::shared_ptr<workspace>>
  open(const workspace_settings& settings, const std::string& base);

  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;

  /// Closes without reporting; call `close` to learn of failures.
  ~workspace();

  /// Removes a temporary root and closes the descriptors. Idempotent.
  caf::error close();

  const directory& root() const;

  /// The directory called `name` ("root" is the root), or null.
  const directory* find(const std::string& name) const;

  const std::map<std::string, directory>& directories() const;

private:
  workspace();

  caf::error open_root(const workspace_settings& settings,
                       const std::string& base);
  caf::error open_path(const std::string& name, const std::string& path);
  caf::error add(const std::string& name, const directory& opened);
  caf::error remove_root();

  std::map<std::string, directory> directories_;
  bool temporary_ = false;
};

} // namespace troupe
