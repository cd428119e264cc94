#include "troupe/actors/tools/is_offered.hpp"

#include "troupe/runtime/permission/permission_decision.hpp"
#include "troupe/sandbox/sandbox_scope.hpp"

namespace troupe {

namespace {

bool can_work(const std::string& capability, const sandbox_settings& sandbox) {
  if (capability == "read")
    return supports(sandbox, sandbox_capability::filesystem_read);
  if (capability == "glob")
    return supports(sandbox, sandbox_capability::filesystem_list);
  if (capability == "write")
    return supports(sandbox, sandbox_capability::filesystem_write);
  if (capability == "shell")
    return supports(sandbox, sandbox_capability::process_run);
  return true;
}

} // namespace

bool is_offered(const tool_spec& spec, const permission_settings& rules,
                const sandbox_settings& sandbox) {
  if (spec.uses_sandbox && !can_work(spec.capability, sandbox))
    return false;
  return can_be_allowed(rules, spec.capability);
}

} // namespace troupe
