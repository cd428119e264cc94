#pragma once

#include "troupe/actors/sandbox/sandbox_host.hpp"
#include "troupe/actors/sandbox/sandbox_opener.hpp"
#include "troupe/config/sandbox_settings.hpp"
#include "troupe/runtime/co/blocking_pool.hpp"
#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/sandbox/artifact_store.hpp"
#include "troupe/sandbox/file_space.hpp"
#include "troupe/sandbox/process_runner.hpp"
#include "troupe/sandbox/sandbox_scope.hpp"
#include "troupe/sandbox/workspace.hpp"

#include "caf/error.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace troupe {

/// What one run's sandbox is made from.
struct sandbox_spec {
  /// The policy, and what of it is held.
  sandbox_authority authority;
  workspace_settings workspace;
  workspace_callbacks callbacks;
  /// What a relative workspace counts from; absolute.
  std::string folder;
  std::shared_ptr<co::blocking_pool> pool;
  std::shared_ptr<sandbox_host> host;
  /// Hears of what commands do on the network.
  network_listener network;
  /// Of a scope: the workspace of the sandbox it is of, which closes it.
  std::shared_ptr<troupe::workspace> lent;
};

/// What a sandbox has open. Blocking calls share it, so that one that was
/// cancelled can end in peace.
struct open_files {
  /// The calls of a file space come one at a time.
  std::mutex mutex;
  std::shared_ptr<workspace> where;
  std::unique_ptr<file_space> files;
  /// Null where there is no place for them.
  std::unique_ptr<artifact_store> artifacts;
  /// Null where no command can be run.
  std::shared_ptr<process_runner> commands;
};

/// One run's files and commands. Opens its workspace when it starts; what
/// comes before that is done waits.
struct sandbox_state {
  static inline const char* name = "sandbox";

  sandbox_spec spec;
  std::shared_ptr<open_files> opened;
  /// Why it could not be opened; every request is answered with it.
  caf::error failed;
  co::event ready;
  bool is_busy = false;
  co::event is_free;
  /// Those that may still be there.
  std::vector<process_actor> processes;
  std::vector<sandbox_actor> scopes;
  co::scope running;
};

sandbox_actor::behavior_type
sandbox_behavior(sandbox_actor::stateful_pointer<sandbox_state> self,
                 sandbox_spec spec);

sandbox_opener make_sandbox_opener(caf::actor_system& system,
                                   std::string folder,
                                   std::shared_ptr<co::blocking_pool> pool);

} // namespace troupe
