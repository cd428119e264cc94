#pragma once

#include "troupe/runtime/supervise/child_spec.hpp"

#include "caf/error.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe {

/// Which children go down with one that is to be restarted.
enum class restart_strategy : uint8_t {
  /// None.
  one_for_one,
  /// All.
  one_for_all,
  /// Those that were started after it.
  rest_for_one,
};

/// Whether a child that ended with `reason` is started again.
bool wants_restart(restart_kind kind, const caf::error& reason);

/// What to do about one failed child. Numbers are positions in start order.
struct restart_plan {
  /// Whom to stop first, in this order.
  std::vector<std::size_t> stop;
  /// Whom to start then, in this order; the failed one is among them.
  std::vector<std::size_t> start;
};

/// Plans the restart of the child at `failed`. `children` are the restart
/// kinds of all children in start order: temporary ones are stopped, but not
/// started again.
restart_plan plan_restart(restart_strategy strategy, std::size_t failed,
                          const std::vector<restart_kind>& children);

} // namespace troupe
