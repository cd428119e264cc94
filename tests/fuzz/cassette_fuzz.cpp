#include "troupe/runtime/model/cassette_player.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

using namespace troupe;

namespace {

chat_message_ptr message(message_role role, std::string text) {
  auto result = chat_message{};
  result.role = role;
  result.text = std::move(text);
  result.tool_name = "grep";
  return chat_message_ptr{std::move(result)};
}

} // namespace

// Whatever a cassette's text is, it is read or refused, and what was read plays
// or fails: each error and reply, then past the end.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = std::string_view{reinterpret_cast<const char*>(data), size};
  auto tape = parse_cassette(text, "fuzz.yaml");
  if (!tape)
    return 0;
  auto requests = tape->exchanges.size() + 1;
  auto player
    = cassette_player{std::make_shared<const cassette>(std::move(*tape))};
  auto request = model_request{};
  request.messages = {message(message_role::user, "how many"),
                      message(message_role::tool, R"({"total_lines":7})")};
  while (requests-- > 0) {
    auto turn = player.play(request);
    if (!turn.failure)
      request.messages.push_back(message(message_role::assistant, "a"));
  }
  return 0;
}
