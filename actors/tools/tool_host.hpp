#pragma once

#include "troupe/actors/tools/tool.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace troupe {

/// The longest result a model is sent, in bytes of JSON text; what is longer is
/// stored for it.
inline constexpr auto most_result_bytes = size_t{256} << 10;

/// The longest value that a tool gives at all.
inline constexpr auto most_value_bytes = size_t{64} << 20;

/// What a tool's actor is started with.
struct tool_host_spec {
  tool definition;
  /// Null where the run has no sandbox.
  sandbox_actor sandbox;
  std::shared_ptr<co::blocking_pool> pool;
};

/// One tool in one run. Serves any number of calls at once; whatever happens
/// in one becomes its result.
struct tool_state {
  static inline const char* name = "tool";

  /// Set by `tool_behavior`.
  std::optional<tool_host_spec> spec;
  /// The calls under way, to tell blocking functions of a cancellation.
  std::vector<std::weak_ptr<tool_context::call_data>> calls;
  co::scope running;
};

tool_actor::behavior_type
tool_behavior(tool_actor::stateful_pointer<tool_state> self,
              tool_host_spec spec);

} // namespace troupe
