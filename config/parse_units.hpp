#pragma once

#include "caf/expected.hpp"
#include "caf/timespan.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// What a duration looks like, for messages.
inline constexpr std::string_view duration_forms
  = "a duration such as 250ms, 30s, 10m or 1h";

/// What a size looks like, for messages.
inline constexpr std::string_view size_forms
  = "a size such as 64KiB, 1MiB, 2GiB, 1MB or a number of bytes";

/// Reads a whole number with a unit out of ns, us, ms, s, m and h. Anything
/// else, a sign, a fraction and an overflow are `errc::configuration`.
caf::expected<caf::timespan> parse_duration(std::string_view text);

/// Reads a number of bytes with an optional unit: B, KB, MB, GB, TB count
/// thousands, KiB, MiB, GiB, TiB count 1024s. Anything else and an overflow
/// are `errc::configuration`.
caf::expected<uint64_t> parse_size(std::string_view text);

/// The shortest text that `parse_duration` reads back as `x`, which must not
/// be negative: "10m", "1500ms".
std::string format_duration(caf::timespan x);

/// The shortest exact text that `parse_size` reads back as `x`: "64KiB",
/// "1MB", "1000001".
std::string format_size(uint64_t x);

} // namespace troupe
