#pragma once

#include "troupe/runtime/messages/interfaces.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::test {

/// A request whose last message is what the user said.
inline model_request ask_model(std::string text, std::string run_id = "r1") {
  auto user = chat_message{};
  user.text = std::move(text);
  auto result = model_request{};
  result.run_id = std::move(run_id);
  result.model = "m";
  result.messages.push_back(chat_message_ptr{std::move(user)});
  return result;
}

/// A piece of text as chat completions stream it.
inline std::string sse_text(std::string_view text) {
  return R"(data: {"choices":[{"index":0,"delta":{"content":")"
         + std::string{text} + "\"}}]}\n\n";
}

/// The end of such a stream.
inline std::string sse_end() {
  return R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"
         "\n\ndata: [DONE]\n\n";
}

inline std::string text_of(const std::vector<model_event>& events) {
  auto result = std::string{};
  for (const auto& event : events)
    if (event.kind == model_event_kind::text_delta)
      result += event.text;
  return result;
}

inline bool is_whole(const std::vector<model_event>& events) {
  return !events.empty() && events.back().kind == model_event_kind::stop;
}

} // namespace troupe::test
