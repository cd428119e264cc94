#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <functional>

namespace troupe {

/// What a run asks for when it wants a sandbox.
struct sandbox_order {
  /// Told what happens in it; null: nobody is.
  run_observer_actor run;
  sandbox_settings policy;
  workspace_settings workspace;
  workspace_callbacks callbacks;
};

/// Opens a run's sandbox. Returns at once: what keeps it from being opened is
/// the answer to the first request.
using sandbox_opener = std::function<sandbox_actor(sandbox_order order)>;

} // namespace troupe
