#include "troupe/runtime/text/base64.hpp"

#include <array>
#include <cstdint>

namespace troupe {

namespace {

constexpr auto digits = std::string_view{"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "abcdefghijklmnopqrstuvwxyz"
                                         "0123456789+/"};

constexpr std::array<int8_t, 256> make_values() {
  auto result = std::array<int8_t, 256>{};
  for (auto& value : result)
    value = -1;
  for (size_t i = 0; i < digits.size(); ++i)
    result[static_cast<uint8_t>(digits[i])] = static_cast<int8_t>(i);
  return result;
}

constexpr auto values = make_values();

uint32_t byte_at(std::string_view bytes, size_t i) {
  return i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0;
}

char digit(uint32_t bits, int shift) {
  return digits[(bits >> shift) & 63];
}

} // namespace

void append_base64(std::string& out, std::string_view bytes) {
  auto before = out.size();
  out.resize(before + (bytes.size() + 2) / 3 * 4);
  auto* to = out.data() + before;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    auto bits = byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8
                | byte_at(bytes, i + 2);
    *to++ = digit(bits, 18);
    *to++ = digit(bits, 12);
    *to++ = i + 1 < bytes.size() ? digit(bits, 6) : '=';
    *to++ = i + 2 < bytes.size() ? digit(bits, 0) : '=';
  }
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0)
    return std::nullopt;
  auto padding = text.ends_with("==") ? size_t{2} : size_t{text.ends_with('=')};
  text.remove_suffix(padding);
  auto result = std::string{};
  result.reserve(text.size() / 4 * 3 + 2);
  auto bits = uint32_t{0};
  auto count = 0; // of bits that are no byte yet
  for (auto c : text) {
    auto value = values[static_cast<uint8_t>(c)];
    if (value < 0)
      return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8)
      continue;
    count -= 8;
    result += static_cast<char>((bits >> count) & 255);
  }
  // What is left over was zero when it was written.
  if ((bits & ((1u << count) - 1)) != 0)
    return std::nullopt;
  return result;
}

} // namespace troupe
