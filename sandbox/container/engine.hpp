#pragma once

#include "caf/expected.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// Which program runs containers.
enum class engine_kind : uint8_t { docker, podman, apple };

/// A container engine of this host, and how it is called.
struct container_engine {
  engine_kind kind = engine_kind::docker;
  /// Absolute.
  std::string program;
  /// Before every subcommand.
  std::vector<std::string> options;
  /// All of its environment.
  std::map<std::string, std::string> environment;
};

/// The engine that `sandbox.container.engine` names, looked for on PATH. Of the
/// environment it gets PATH, HOME and XDG_RUNTIME_DIR: nothing there sends its
/// calls to another host. Podman puts containers into cgroups itself where no
/// systemd runs. Errors: configuration (no such engine), sandbox (it is not
/// there).
caf::expected<container_engine> find_container_engine(const std::string& name);

/// The word that the settings have for it.
std::string to_string(engine_kind kind);

/// What is executed for a subcommand: the program is the first.
std::vector<std::string> command_line(const container_engine& engine,
                                      const std::vector<std::string>& words);

} // namespace troupe
