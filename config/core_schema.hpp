#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace troupe {

/// What an unquoted YAML scalar means; the last one is plain text.
using core_value = std::variant<std::nullptr_t, bool, int64_t, uint64_t, double,
                                std::string_view>;

/// Resolves `plain` by YAML 1.2's core schema: null and ~, true and false,
/// decimal, 0o17 and 0x1F, 1.5e3, .inf and .nan. `yes` and `on` are text. An
/// integer that needs more than 64 bits becomes a double. The text is not
/// copied.
core_value resolve_core(std::string_view plain);

} // namespace troupe
