#include "troupe/runtime/run/run_recovery.hpp"

#include "troupe/runtime/model/cbor_fields.hpp"

namespace troupe {

// On disk: a key is never used again for something else.
template <class F>
void stored_fields(F& f, recovery_count& x) {
  f("w", x.without_progress);
  f("t", x.total);
  f("e", x.events);
}

recovery_count count_recovery(recovery_count before, uint64_t events) {
  auto result = recovery_count{};
  // A recovery by itself adds one event, that it resumed.
  auto has_progressed = before.total == 0 || events > before.events + 1;
  result.without_progress = has_progressed ? 1 : before.without_progress + 1;
  result.total = before.total + 1;
  result.events = events;
  return result;
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
