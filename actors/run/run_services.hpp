#pragma once

#include "troupe/actors/run/log.hpp"
#include "troupe/actors/run/run_feed.hpp"
#include "troupe/actors/sandbox/sandbox_opener.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/runtime/co/blocking_pool.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include <memory>
#include <string>

namespace troupe {

/// What all runs of one runtime share. Immutable once the runtime started.
struct run_services {
  troupe::settings settings;
  /// This process, as the owner of runs.
  std::string owner;
  /// What relative paths of workspaces count from; absolute.
  std::string folder;
  store_actor store;
  session_registry_actor sessions;
  model_catalog_actor models;
  /// Null: there is nobody to ask, so what would be asked is denied.
  approver_actor approver;
  std::shared_ptr<co::blocking_pool> pool;
  /// Where lines for the operator go; never empty.
  log_sink log;
  /// Where those hear of runs who want to.
  std::shared_ptr<run_feed> feed;
  /// Makes the sandbox of one run.
  sandbox_opener open_sandbox;
  /// What models say is written to a cassette, which holds one conversation.
  bool is_recording = false;
  /// What the application does about each workspace.
  workspace_callbacks callbacks;
};

using run_services_ptr = std::shared_ptr<const run_services>;

} // namespace troupe
