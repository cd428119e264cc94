#pragma once

#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// Now, microseconds since the epoch.
int64_t now_micros();

/// A point in time as RFC 3339 in UTC with microseconds.
std::string rfc3339(int64_t micros);

/// Reads RFC 3339: a date, a time, an optional fraction and Z or an offset. Any
/// other text is an `errc::configuration` error.
caf::expected<int64_t> parse_rfc3339(std::string_view text);

} // namespace troupe
