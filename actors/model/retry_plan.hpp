#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/config/model_settings.hpp"
#include "troupe/runtime/http/retry_policy.hpp"
#include "troupe/runtime/messages/model_messages.hpp"

#include "caf/timespan.hpp"

#include <cstdint>
#include <optional>

namespace troupe {

/// How long until `deadline`, microseconds since the epoch; the longest
/// timespan when it is 0.
caf::timespan time_left(int64_t deadline);

/// Counts the attempts of one request and decides about the next.
class retry_plan {
public:
  /// Attempts as `settings` allow, none that would begin after `deadline`.
  retry_plan(retry_settings settings, int64_t deadline);

  /// One attempt, whatever happens.
  static retry_plan once();

  /// The attempt failed: the event that announces the next one, which begins
  /// after its `delay`; nothing when the failure is final.
  std::optional<model_event> after(const fault& what, answer_progress progress);

private:
  retry_settings settings_;
  int64_t deadline_;
  uint32_t attempt_ = 1;
};

} // namespace troupe
