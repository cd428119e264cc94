#pragma once

#include "support/catch.hpp"

#include "troupe/runtime/model/provider_codec.hpp"

#include <nlohmann/json.hpp>

namespace troupe::test {

using namespace std::chrono_literals;
using nlohmann::json;

std::unique_ptr<provider_codec> inline make_codec(const std::string& base_url
                                                  = "http://127.0.0.1:1/v1") {
  auto settings = provider_settings{};
  settings.base_url = base_url;
  settings.api_key = secret{"sk-very-secret"};
  return make_openai_codec(settings);
}

inline chat_message message(message_role role, const std::string& text) {
  auto result = chat_message{};
  result.role = role;
  result.text = text;
  return result;
}

inline chat_message calling(std::vector<tool_call> calls) {
  auto result = message(message_role::assistant, "");
  result.calls = std::move(calls);
  return result;
}

inline chat_message result_of(const std::string& id, const std::string& text) {
  auto result = message(message_role::tool, text);
  result.call_id = id;
  return result;
}

inline model_request request_of(const std::vector<chat_message>& messages) {
  auto result = model_request{};
  result.model = "gpt-5";
  for (const auto& x : messages)
    result.messages.emplace_back(x);
  return result;
}

inline std::string body_of(const model_request& request,
                           answer_mode mode = answer_mode::whole) {
  auto encoded = make_codec()->encode(request, mode);
  REQUIRE(encoded);
  return encoded->body;
}

inline json messages_of(const std::vector<chat_message>& messages) {
  return json::parse(body_of(request_of(messages)))["messages"];
}

inline errc encode_error(const std::string& settings) {
  auto request = request_of({});
  request.settings_json = shared{settings};
  auto encoded = make_codec()->encode(request, answer_mode::whole);
  return encoded ? errc::internal : to_fault(encoded.error()).kind;
}

inline std::string name_of(stop_reason why) {
  switch (why) {
    case stop_reason::end_turn:
      return "end_turn";
    case stop_reason::tool_use:
      return "tool_use";
    case stop_reason::max_tokens:
      return "max_tokens";
    default:
      return "refusal";
  }
}

inline std::string call_text(const tool_call& call) {
  return call.id + ' ' + call.name + ' ' + call.arguments
         + (call.raw.empty() ? "" : " raw:" + call.raw);
}

inline std::string usage_text(const token_usage& usage) {
  return std::to_string(usage.input_tokens) + '/'
         + std::to_string(usage.output_tokens) + '/'
         + std::to_string(usage.cached_tokens);
}

// The events as lines, with neighbouring deltas joined.
inline std::string lines_of(const std::vector<model_event>& events) {
  auto result = std::string{};
  auto last = std::string{};
  auto add = [&](const std::string& kind, const std::string& text) {
    auto joined = kind == last && (kind == "text" || kind == "reasoning");
    result += joined ? text : (last.empty() ? "" : "\n") + kind + ": " + text;
    last = kind;
  };
  for (const auto& event : events) {
    switch (event.kind) {
      case model_event_kind::text_delta:
        add("text", event.text);
        break;
      case model_event_kind::reasoning_delta:
        add("reasoning", event.text);
        break;
      case model_event_kind::tool_call:
        add("call", call_text(event.call));
        break;
      case model_event_kind::usage:
        add("usage", usage_text(event.usage));
        break;
      case model_event_kind::stop:
        add("stop", name_of(event.stop));
        break;
      default:
        add("unexpected", event.text);
    }
  }
  return result;
}

struct decoded {
  std::string lines;
  fault error;
  bool failed = false;
};

inline decoded decode(const std::string& body, size_t chunk = 1 << 20) {
  auto decoder = make_codec()->make_decoder();
  auto events = std::vector<model_event>{};
  auto err = caf::error{};
  for (size_t pos = 0; !err && pos < body.size(); pos += chunk)
    err = decoder->feed(std::string_view{body}.substr(pos, chunk), events);
  if (!err)
    err = decoder->finish(events);
  return {lines_of(events), err ? to_fault(err) : fault{}, bool(err)};
}

// A stream of deltas, each a JSON object, then what ends it.
inline std::string stream_of(const std::vector<std::string>& deltas,
                             const std::string& finish = "stop") {
  auto result = std::string{};
  for (const auto& delta : deltas)
    result += R"(data: {"choices":[{"index":0,"delta":)" + delta
              + R"(,"finish_reason":null}],"usage":null})" + "\n\n";
  result += R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":")"
            + finish + "\"}]}\n\ndata: [DONE]\n\n";
  return result;
}

inline std::string calls_of(const std::vector<std::string>& pieces) {
  auto deltas = std::vector<std::string>{};
  for (const auto& piece : pieces)
    deltas.push_back(R"({"tool_calls":[)" + piece + "]}");
  return decode(stream_of(deltas, "tool_calls")).lines;
}

inline fault error_of(int status, const std::string& body,
                      const std::string& lines = "") {
  return make_codec()->error_of({status, lines}, body);
}

} // namespace troupe::test
