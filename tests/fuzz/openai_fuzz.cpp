#include "troupe/runtime/model/provider_codec.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

using namespace troupe;

namespace {

// Whether the answer ended whole, as its last event says.
bool is_whole(const std::vector<model_event>& events) {
  auto stops = std::count_if(events.begin(), events.end(), [](const auto& x) {
    return x.kind == model_event_kind::stop;
  });
  return stops == 1 && events.back().kind == model_event_kind::stop;
}

bool has_stop(const std::vector<model_event>& events) {
  return !events.empty() && events.back().kind == model_event_kind::stop;
}

// What came is sent back as history, as the next turn would.
void send_back(const provider_codec& codec,
               const std::vector<model_event>& events) {
  auto message = chat_message{};
  message.role = message_role::assistant;
  for (const auto& event : events) {
    message.text += event.text;
    if (event.kind == model_event_kind::tool_call)
      message.calls.push_back(event.call);
  }
  auto request = model_request{};
  request.messages.emplace_back(std::move(message));
  if (!codec.encode(request, answer_mode::streamed))
    std::abort();
}

} // namespace

// Any body ends in an error or in exactly one stop, never in both, and its
// answer can always be sent back. The first byte says how it is cut.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  auto codec = make_openai_codec({});
  auto text = std::string_view{reinterpret_cast<const char*>(data), size};
  auto step = static_cast<size_t>(data[0]) + 1;
  auto body = text.substr(1);
  codec->error_of({400, ""}, body);
  auto decoder = codec->make_decoder();
  auto events = std::vector<model_event>{};
  auto err = caf::error{};
  for (auto rest = body; !err && !rest.empty();
       rest.remove_prefix(std::min(step, rest.size())))
    err = decoder->feed(rest.substr(0, step), events);
  if (!err)
    err = decoder->finish(events);
  if (err ? has_stop(events) : !is_whole(events))
    std::abort();
  if (!err)
    send_back(*codec, events);
  return 0;
}
