#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// Now, microseconds since the epoch.
int64_t now_micros();

/// A point in time as RFC 3339 in UTC with microseconds.
std::string rfc3339(int64_t micros);

} // namespace troupe
