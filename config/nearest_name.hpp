#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

/// The one of `known` that `name` looks like a misspelling of: the fewest
/// letters added, dropped, changed or swapped with their neighbour, at most a
/// third of its length. Nothing when none is near.
/// Only the first 64 of them are compared.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> known);

} // namespace troupe
