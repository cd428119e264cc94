#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// Appends `text` to `out` as a JSON string, quotes included. Ill-formed UTF-8
/// becomes U+FFFD, so the result is always valid. Any thread.
void append_json_string(std::string& out, std::string_view text);

} // namespace troupe
