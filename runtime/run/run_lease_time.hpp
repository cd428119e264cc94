#pragma once

#include "troupe/runtime/run/timestamp.hpp"

#include "caf/timespan.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>

namespace troupe {

/// How long others believe that a run has an owner whom they do not hear of.
/// A process of this host that died is found out at once.
inline constexpr auto lease_time = caf::timespan{std::chrono::seconds{30}};

/// How often an owner renews its leases.
inline constexpr auto renewal_time = caf::timespan{std::chrono::seconds{10}};

/// When a lease that begins now ends.
inline int64_t lease_end() {
  using std::chrono::duration_cast;
  return now_micros()
         + duration_cast<std::chrono::microseconds>(lease_time).count();
}

/// The value that says that a run's input is in its conversation.
inline constexpr auto input_value = "input";

/// The record of the conversation that such a value names; 0 where an older
/// version wrote it, which named none.
inline uint64_t input_record_in(const std::string& body) {
  auto result = uint64_t{0};
  std::from_chars(body.data(), body.data() + body.size(), result);
  return result;
}

} // namespace troupe
