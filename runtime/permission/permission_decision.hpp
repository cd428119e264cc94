#pragma once

#include "troupe/config/agent_settings.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// What the rules say of one call.
enum class permission_rule : uint8_t { allow, deny, ask };

/// Contract section 4. `capability` is empty for tools that need none.
/// `subject` is what the patterns of `ask_when` and `approve_when` are held
/// against: a path, a command.
permission_rule decide_permission(const permission_settings& rules,
                                  std::string_view capability,
                                  std::string_view subject);

/// Whether the rules could ever allow `capability`; a tool that never can is
/// not offered to the model.
bool can_be_allowed(const permission_settings& rules,
                    std::string_view capability);

/// What a call with `arguments` (the text of a JSON object) is about: the
/// `path` of file tools, the `command` or `argv` of the shell, a `url`, a
/// `query`, a `pattern`; empty when it has none.
std::string permission_subject(std::string_view arguments);

} // namespace troupe
