#include "troupe/runtime/supervise/restart_strategy.hpp"

#include "caf/exit_reason.hpp"

namespace troupe {

namespace {

bool is_orderly(const caf::error& reason) {
  using caf::exit_reason;
  return !reason || reason == exit_reason::normal
         || reason == exit_reason::user_shutdown;
}

} // namespace

bool wants_restart(restart_kind kind, const caf::error& reason) {
  switch (kind) {
    case restart_kind::permanent:
      return true;
    case restart_kind::transient:
      return !is_orderly(reason);
    default:
      return false;
  }
}

restart_plan plan_restart(restart_strategy strategy, std::size_t failed,
                          const std::vector<restart_kind>& children) {
  if (strategy == restart_strategy::one_for_one)
    return {{}, {failed}};
  auto first = strategy == restart_strategy::one_for_all ? 0 : failed;
  auto plan = restart_plan{};
  for (auto i = children.size(); i > first; --i)
    if (i - 1 != failed)
      plan.stop.push_back(i - 1);
  for (auto i = first; i < children.size(); ++i)
    if (children[i] != restart_kind::temporary)
      plan.start.push_back(i);
  return plan;
}

} // namespace troupe
