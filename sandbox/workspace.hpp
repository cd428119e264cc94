#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/temporary_folder.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace troupe {

/// What an application does about a workspace. Both may block, and what they
/// throw is an error; `where.root` is the real path of the root.
struct workspace_callbacks {
  /// When the root is there and the named paths are not opened yet: absolute
  /// ones must exist after it.
  std::function<void(const workspace_settings& where)> setup;
  /// Once, before a workspace that was set up is closed, also when it could
  /// not be opened in the end. What is temporary is still there.
  std::function<void(const workspace_settings& where)> teardown;
};

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
  /// directory), sandbox (the system refused, the setup failed).
  static caf::expected<std::shared_ptr<workspace>>
  open(const workspace_settings& settings, const std::string& base,
       workspace_callbacks callbacks = {});

  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;

  /// Closes without reporting; call `close` to learn of failures.
  ~workspace();

  /// Has it torn down, removes a temporary root and closes the descriptors.
  /// Idempotent.
  caf::error close();

  const directory& root() const;

  /// The directory called `name` ("root" is the root), or null.
  const directory* find(const std::string& name) const;

  const std::map<std::string, directory>& directories() const;

private:
  workspace();

  caf::error set_up(const workspace_settings& settings,
                    workspace_callbacks callbacks);
  caf::error open_root(const workspace_settings& settings,
                       const std::string& base);
  caf::error open_path(const std::string& name, const std::string& path);
  caf::error add(const std::string& name, const directory& opened);

  std::map<std::string, directory> directories_;
  std::optional<temporary_folder> temporary_;
  /// Empty when there is nothing to tear down.
  std::function<void()> teardown_;
};

} // namespace troupe
