#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/file_space.hpp"
#include "troupe/sandbox/process_runner.hpp"

#include "caf/expected.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::backend_conformance {

/// A sandbox that is tried: what its maker has open, ended with it.
struct opened_backend {
  /// What it stands on, gone last; may be null.
  std::shared_ptr<void> ground;
  std::unique_ptr<file_space> files;
  /// Null where it runs no commands.
  std::shared_ptr<process_runner> commands;
  /// What is run for a request; see `plan_process`.
  std::function<caf::expected<process_spec>(const process_request&)> plan;
};

/// Opens a sandbox over a new, empty workspace whenever it is called. `policy`
/// has the limits a case is about, and which paths there are: always "root",
/// and "source", a directory "src" within the root, where it is named.
using backend_factory = std::function<caf::expected<opened_backend>(
  const sandbox_settings& policy)>;

/// What a backend says of itself; it is held to it.
struct backend_traits {
  /// It runs commands, which see the files that tools see. They are those of a
  /// POSIX shell.
  bool runs_commands = true;
  /// Commands see no file and no network of this host but what they were given.
  bool is_contained = true;
  /// There are named paths besides the root.
  bool has_named_paths = true;
  /// Commands can be sent signals, and take what they are lent as streams.
  bool has_streams = true;
};

/// What a case throws when the backend is not what it should be.
class failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One thing that every backend does, or every one with some trait.
struct backend_case {
  /// What it is about: files, paths, commands, ends, containment.
  std::string area;
  /// Completes "a sandbox …".
  std::string name;
  /// Throws `failure` where the backend does not.
  std::function<void(const backend_factory&)> run;
  /// Whether it is about backends like that; empty: about all.
  std::function<bool(const backend_traits&)> applies;
};

using backend_cases = std::vector<backend_case>;

} // namespace troupe::backend_conformance
