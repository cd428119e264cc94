#include "troupe/actors/tools/is_offered.hpp"

#include "troupe/runtime/permission/permission_decision.hpp"

namespace troupe {

bool is_offered(const tool_spec& spec, const permission_settings& rules,
                const sandbox_settings& sandbox) {
  if (spec.uses_sandbox && spec.capability == "shell"
      && sandbox.provider == "virtual")
    return false;
  return can_be_allowed(rules, spec.capability);
}

} // namespace troupe
