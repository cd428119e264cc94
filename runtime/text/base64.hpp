#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// Appends `bytes` to `out` in base64 (RFC 4648), padded, in one line.
void append_base64(std::string& out, std::string_view bytes);

/// The bytes that `text` stands for; nothing where it is not what
/// `append_base64` writes.
std::optional<std::string> from_base64(std::string_view text);

} // namespace troupe
