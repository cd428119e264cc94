#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The alternatives of "a{b,c}d": "abd", "acd"; nested ones too. A group
/// without a comma, or one that is not closed, means itself. Nothing when
/// there would be more than `most`.
std::optional<std::vector<std::u32string>>
expand_braces(const std::u32string& text, size_t most);

} // namespace troupe
