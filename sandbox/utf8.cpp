#include "troupe/sandbox/utf8.hpp"

#include <cstdint>

namespace troupe {

namespace {

uint8_t byte_at(std::string_view text, size_t i) noexcept {
  return static_cast<uint8_t>(text[i]);
}

bool is_continuation(uint8_t byte) noexcept {
  return (byte & 0xC0) == 0x80;
}

// What the first byte promises; 0 for one that starts nothing.
size_t promised_length(uint8_t first) noexcept {
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first <= 0xDF)
    return 2;
  if (first >= 0xE0 && first <= 0xEF)
    return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

// Overlong forms, surrogates and values past U+10FFFF show in the second byte.
bool is_second(uint8_t first, uint8_t second) noexcept {
  switch (first) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second < 0xA0;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second < 0x90;
    default:
      return true;
  }
}

char32_t decode(std::string_view sequence) noexcept {
  auto first = byte_at(sequence, 0);
  if (sequence.size() == 1)
    return first;
  auto mask = 0xFFu >> (sequence.size() + 1);
  auto value = static_cast<char32_t>(first & mask);
  for (auto i = size_t{1}; i < sequence.size(); ++i)
    value = (value << 6) | (byte_at(sequence, i) & 0x3Fu);
  return value;
}

} // namespace

size_t utf8_length(std::string_view text) noexcept {
  if (text.empty())
    return 0;
  auto first = byte_at(text, 0);
  auto length = promised_length(first);
  if (length > text.size())
    return 0;
  for (auto i = size_t{1}; i < length; ++i)
    if (!is_continuation(byte_at(text, i)))
      return 0;
  return length < 2 || is_second(first, byte_at(text, 1)) ? length : 0;
}

std::string repair_utf8(std::string_view text) {
  auto result = std::string{};
  result.reserve(text.size());
  while (!text.empty()) {
    auto length = utf8_length(text);
    if (length == 0) {
      result += "\xEF\xBF\xBD";
      length = 1;
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

std::string_view cut_utf8(std::string_view text, size_t bytes) noexcept {
  if (text.size() <= bytes)
    return text;
  while (bytes > 0 && is_continuation(byte_at(text, bytes)))
    --bytes;
  return text.substr(0, bytes);
}

std::string_view cut_characters(std::string_view text, size_t count) noexcept {
  for (auto i = size_t{0}; i < text.size(); ++i)
    if (!is_continuation(byte_at(text, i)) && count-- == 0)
      return text.substr(0, i);
  return text;
}

std::u32string decode_utf8(std::string_view text) {
  auto result = std::u32string{};
  while (!text.empty()) {
    auto length = utf8_length(text);
    if (length == 0) {
      result += static_cast<char32_t>(0xDC00u + byte_at(text, 0));
      length = 1;
    } else {
      result += decode(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return result;
}

} // namespace troupe
