#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/config/model_settings.hpp"
#include "troupe/runtime/http/http_types.hpp"

#include "caf/timespan.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace troupe {

// When a failed request is sent again. Pure: time and chance are arguments.

/// Whether an HTTP status may be gone on a second try: 408, 409, 429, 5xx.
bool is_retryable_status(int status);

/// Whether an error of `kind` that came without a status may be gone on a
/// second try: a limit, an overload, silence, a broken connection.
bool is_retryable_kind(errc kind);

/// How far the answer had come when the request failed.
enum class answer_progress : uint8_t {
  /// No event of the model was given out.
  none,
  /// Some were: asking again would say them twice.
  some,
};

/// One failure, as the decision needs it.
struct failed_attempt {
  fault what;
  /// Which request failed, the first is 1.
  uint32_t attempt = 1;
  answer_progress progress = answer_progress::none;
  /// Until the caller stops waiting.
  caf::timespan remaining = caf::timespan::max();
};

/// How long to wait before the request is sent again, or nothing when it must
/// not be: for good reasons, because no attempts are left, or because the wait
/// would end after the caller's deadline.
///
/// The wait doubles from `base` up to `max` and is drawn evenly from 0 to that
/// by `chance` (0 to 1), so that many clients do not come back in one beat.
/// A provider that says how long to wait is obeyed, with up to `base` more on
/// top for the same reason; a wish beyond `longest_wish` ends the attempts.
std::optional<caf::timespan> retry_delay(const retry_settings& settings,
                                         const failed_attempt& failed,
                                         double chance);

/// The longest Retry-After that is waited for.
constexpr auto longest_wish = std::chrono::minutes{10};

/// How long the server asks to wait by `retry-after-ms` or `Retry-After`, in
/// seconds or as a date, seen at `now`; 0 when it does not say.
caf::timespan retry_after_of(const http_head& head,
                             std::chrono::system_clock::time_point now);

} // namespace troupe
