#include "troupe/runtime/run/run_recovery.hpp"

#include "troupe/runtime/model/cbor_fields.hpp"

#include <algorithm>

namespace troupe {

// On disk: a key is never used again for something else.
template <class F>
void stored_fields(F& f, recovery_count& x) {
  f("w", x.without_progress);
  f("t", x.total);
  f("s", x.settled);
}

recovery_count count_recovery(recovery_count before, uint64_t settled) {
  auto result = before;
  if (settled > before.settled)
    result.without_progress = 0;
  ++result.total;
  result.settled = settled;
  return result;
}

uint64_t count_settled(const std::vector<run_event>& events) {
  auto is_settled = [](const run_event& x) {
    return x.type == event_type::message_stop
           || x.type == event_type::tool_result
           || x.type == event_type::checkpoint;
  };
  return static_cast<uint64_t>(
    std::count_if(events.begin(), events.end(), is_settled));
}

run_value make_recovery_value(const recovery_count& count, int64_t at) {
  return {recovery_value, at, encode_fields(count)};
}

caf::expected<recovery_count> read_recovery(const run_value& value) {
  return decode_fields<recovery_count>(value.body);
}

run_usage usage_of(const std::vector<run_event>& events) {
  auto result = run_usage{};
  for (const auto& event : events)
    switch (event.type) {
      case event_type::message_start:
      case event_type::model_retry:
        ++result.model_requests;
        break;
      case event_type::custom:
        result.model_requests += event.text == summary_event ? 1 : 0;
        break;
      case event_type::usage:
        result.tokens.input_tokens += event.usage.input_tokens;
        result.tokens.output_tokens += event.usage.output_tokens;
        result.tokens.cached_tokens += event.usage.cached_tokens;
        break;
      case event_type::tool_result:
        ++result.tool_calls;
        break;
      default:
        break;
    }
  return result;
}

} // namespace troupe
