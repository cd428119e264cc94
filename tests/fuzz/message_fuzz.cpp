#include "troupe/runtime/model/message_record.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace troupe;

namespace {

// What was read is stored again, perhaps shorter (a key that stood there
// twice), and then comes back as it is.
template <class Decode, class Encode>
auto read(std::string_view bytes, Decode decode, Encode encode) {
  auto value = decode(bytes);
  if (!value)
    return value;
  auto record = encode(*value);
  auto again = decode(record);
  if (!again || encode(*again) != record)
    std::abort();
  return value;
}

} // namespace

// Whatever a record of a conversation is, it is read or refused, and what was
// read can be shown and stored again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto bytes = std::string_view{reinterpret_cast<const char*>(data), size};
  // Throws where a text is not UTF-8.
  if (auto message = read(bytes, decode_message, encode_message))
    message_json(*message, 1).dump();
  if (auto summary = read(bytes, decode_summary, encode_summary))
    message_json(summary_message(*summary, 0), 1).dump();
  read(bytes, decode_state, encode_state);
  read(bytes, decode_intent, encode_intent);
  return 0;
}
