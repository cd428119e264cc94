#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// RFC 4648, with padding, without line ends.
std::string to_base64(std::string_view bytes);

/// The bytes, or nothing when it is not exactly that form.
std::optional<std::string> from_base64(std::string_view text);

} // namespace troupe
