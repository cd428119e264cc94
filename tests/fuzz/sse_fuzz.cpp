#include "troupe/runtime/http/sse_parser.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace troupe;

namespace {

constexpr size_t limit = 512;

struct outcome {
  std::vector<std::string> events;
  bool failed = false;
};

void drain(sse_parser& parser, outcome& result) {
  while (auto event = parser.next())
    for (auto text : {event->event, event->data, event->id})
      result.events.emplace_back(text);
}

// The bytes in pieces whose sizes repeat `cuts`.
outcome parse(std::string_view bytes, std::string_view cuts) {
  auto parser = sse_parser{limit};
  auto result = outcome{};
  for (size_t i = 0; !bytes.empty(); ++i) {
    auto size
      = static_cast<size_t>(static_cast<uint8_t>(cuts[i % cuts.size()]));
    auto piece = bytes.substr(0, size + 1);
    // A copy of its own: reading past a piece is found.
    auto copy = std::vector<char>(piece.begin(), piece.end());
    parser.feed({copy.data(), copy.size()});
    drain(parser, result);
    bytes.remove_prefix(piece.size());
  }
  parser.finish();
  drain(parser, result);
  result.failed = static_cast<bool>(parser.error());
  return result;
}

} // namespace

// However a stream is cut, its events are the same. The first bytes say where.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t cut_bytes = 4;
  if (size <= cut_bytes)
    return 0;
  auto text = std::string_view{reinterpret_cast<const char*>(data), size};
  auto bytes = text.substr(cut_bytes);
  auto whole = parse(bytes, "\xFF");
  auto cut = parse(bytes, text.substr(0, cut_bytes));
  if (whole.events != cut.events || whole.failed != cut.failed)
    std::abort();
  return 0;
}
