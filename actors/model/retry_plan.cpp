#include "troupe/actors/model/retry_plan.hpp"

#include "troupe/runtime/run/timestamp.hpp"

#include <algorithm>
#include <chrono>
#include <random>

namespace troupe {

caf::timespan time_left(int64_t deadline) {
  if (deadline == 0)
    return caf::timespan::max();
  // What does not fit is as good as for ever.
  constexpr auto longest
    = std::chrono::duration_cast<std::chrono::microseconds>(
      caf::timespan::max());
  auto now = now_micros();
  if (deadline <= now)
    return caf::timespan{0};
  return std::min(std::chrono::microseconds{deadline - now}, longest);
}

retry_plan::retry_plan(retry_settings settings, int64_t deadline)
  : settings_(settings),
    deadline_(deadline) {
  // nop
}

retry_plan retry_plan::once() {
  auto settings = retry_settings{};
  settings.attempts = 1;
  return {settings, 0};
}

std::optional<model_event> retry_plan::after(const fault& what,
                                             answer_progress progress) {
  // Failures are rare enough to ask the system for each one's chance.
  auto random = std::random_device{};
  auto chance = std::uniform_real_distribution<double>{}(random);
  auto failed = failed_attempt{what, attempt_, progress, time_left(deadline_)};
  auto delay = retry_delay(settings_, failed, chance);
  if (!delay)
    return std::nullopt;
  auto result = model_event{};
  result.kind = model_event_kind::retry;
  result.text = what.message;
  result.error_kind = static_cast<uint8_t>(what.kind);
  result.status = static_cast<uint16_t>(what.status);
  result.attempt = ++attempt_;
  result.delay = *delay;
  return result;
}

} // namespace troupe
