#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace troupe {

enum class log_level : uint8_t { debug, info, warn, error };

/// Takes one line for the operator: never anything that a model may see, and
/// no secrets. Called from any thread; must not block for long.
using log_sink = std::function<void(log_level, const std::string&)>;

/// Writes lines of `least` and above to stderr.
log_sink log_to_stderr(log_level least = log_level::warn);

/// The level called `name` (error, warn, info, debug); warn for any other.
log_level log_level_from(std::string_view name);

} // namespace troupe
