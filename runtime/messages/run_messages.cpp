#include "troupe/runtime/messages/run_messages.hpp"

#include <array>

namespace troupe {

namespace {

constexpr auto statuses = std::array{
  "pending", "queued",  "running",   "suspended",   "completed",
  "failed",  "partial", "cancelled", "interrupted",
};

constexpr auto types = std::array{
  "run_start",       "invocation_start", "message_start",   "text_delta",
  "reasoning_delta", "tool_call",        "tool_result",     "model_retry",
  "usage",           "message_stop",     "invocation_stop", "step_start",
  "step_stop",       "handoff",          "interjection",    "artifact",
  "checkpoint",      "approval_request", "suspended",       "resumed",
  "agent_stream",    "custom",           "run_stop",        "run_error",
  "run_partial",     "run_cancel",
};

} // namespace

std::string to_string(run_status x) {
  return statuses.at(static_cast<size_t>(x));
}

run_status run_status_from(std::string_view name) {
  for (size_t i = 0; i < statuses.size(); ++i)
    if (name == statuses[i])
      return static_cast<run_status>(i);
  return run_status::pending;
}

std::string to_string(event_type x) {
  return types.at(static_cast<size_t>(x));
}

} // namespace troupe
