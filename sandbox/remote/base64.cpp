#include "troupe/sandbox/remote/base64.hpp"

#include <array>
#include <cstdint>

namespace troupe {

namespace {

constexpr auto digits = std::string_view{
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"};

constexpr auto no_digit = uint8_t{255};

constexpr std::array<uint8_t, 256> make_values() {
  auto result = std::array<uint8_t, 256>{};
  result.fill(no_digit);
  for (size_t i = 0; i < digits.size(); ++i)
    result[static_cast<unsigned char>(digits[i])] = static_cast<uint8_t>(i);
  return result;
}

constexpr auto values = make_values();

uint32_t byte_at(std::string_view bytes, size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}

} // namespace

std::string to_base64(std::string_view bytes) {
  auto result = std::string{};
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    auto group = byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8
                 | byte_at(bytes, i + 2);
    for (size_t k = 0; k < 4; ++k)
      result += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
  }
  return result;
}

std::optional<std::string> from_base64(std::string_view text) {
  auto result = std::string{};
  if (text.size() % 4 != 0)
    return std::nullopt;
  auto padding = size_t{0};
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  result.reserve(text.size() / 4 * 3 + 2);
  auto group = uint32_t{0};
  auto bits = 0;
  for (auto c : text) {
    auto value = values[static_cast<unsigned char>(c)];
    if (value == no_digit)
      return std::nullopt;
    group = group << 6 | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      result += static_cast<char>(group >> bits & 255);
    }
  }
  // What was padded is zero: each text of bytes has one form.
  if ((group & ((1U << bits) - 1)) != 0)
    return std::nullopt;
  return result;
}

} // namespace troupe
