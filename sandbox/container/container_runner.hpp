#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/sandbox/container/engine.hpp"
#include "troupe/sandbox/process_runner.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <memory>
#include <string>

namespace troupe {

class workspace;

/// What of this host containers are made with.
struct container_host {
  container_engine engine;
  /// Our program that runs in them.
  std::string relay;
};

/// Looks for the engine that the policy names and for our program. Errors:
/// configuration, policy (see `check_container`), sandbox (what is missing).
caf::expected<container_host>
find_container_host(const sandbox_settings& policy);

/// Runs commands in containers over `where`, as `policy` says: in one that is
/// kept and shared, or in a fresh one each. The first is made with the first
/// command, after what crashed runs have left was removed. There are no
/// terminals in them, and a command cannot be kept from starting others: who
/// asks for that gets an error of kind sandbox. `where` must stay open as long
/// as the runner. Errors: policy, configuration, sandbox.
caf::expected<std::shared_ptr<process_runner>>
make_container_runner(std::shared_ptr<process_thread> thread,
                      container_host host,
                      std::shared_ptr<const workspace> where,
                      const sandbox_settings& policy);

/// Makes a container of the policy's image and runs a command in it; without an
/// image it asks the engine for its version. Blocks for a second. The text is
/// the engine with its version. Error: sandbox, configuration.
caf::expected<std::string>
probe_container(std::shared_ptr<process_thread> thread,
                const sandbox_settings& policy);

} // namespace troupe
