#include "troupe/runtime/text/utf8.hpp"

#include <cstdint>

namespace troupe {

namespace {

constexpr auto replacement = std::string_view{"\xEF\xBF\xBD"};

struct sequence {
  /// Bytes that belong together, at least 1.
  size_t length = 1;
  bool valid = false;
};

// What may follow a lead byte: the second byte is narrower where it would
// allow an overlong form, a surrogate or a value past U+10FFFF.
struct lead_rule {
  size_t length = 0;
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
};

lead_rule rule_of(uint8_t lead) {
  if (lead < 0xC2 || lead > 0xF4)
    return {};
  if (lead < 0xE0)
    return {2, 0x80, 0xBF};
  if (lead < 0xF0)
    return {3, static_cast<uint8_t>(lead == 0xE0 ? 0xA0 : 0x80),
            static_cast<uint8_t>(lead == 0xED ? 0x9F : 0xBF)};
  return {4, static_cast<uint8_t>(lead == 0xF0 ? 0x90 : 0x80),
          static_cast<uint8_t>(lead == 0xF4 ? 0x8F : 0xBF)};
}

sequence sequence_at(std::string_view text, size_t pos) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (byte(pos) < 0x80)
    return {1, true};
  auto rule = rule_of(byte(pos));
  for (auto i = size_t{1}; i < rule.length; ++i) {
    auto low = i == 1 ? rule.low : uint8_t{0x80};
    auto high = i == 1 ? rule.high : uint8_t{0xBF};
    if (pos + i >= text.size() || byte(pos + i) < low || byte(pos + i) > high)
      return {i, false};
  }
  return {rule.length == 0 ? 1 : rule.length, rule.length != 0};
}

size_t end_of_ascii(std::string_view text, size_t pos) {
  while (pos < text.size() && static_cast<uint8_t>(text[pos]) < 0x80)
    ++pos;
  return pos;
}

// Where the well-formed text that starts at `pos` ends.
size_t end_of_valid(std::string_view text, size_t pos) {
  while ((pos = end_of_ascii(text, pos)) < text.size()) {
    auto [length, valid] = sequence_at(text, pos);
    if (!valid)
      break;
    pos += length;
  }
  return pos;
}

} // namespace

std::string sanitize_utf8(std::string_view text) {
  auto result = std::string{};
  result.reserve(text.size());
  for (auto pos = size_t{0}; pos < text.size();) {
    auto end = end_of_valid(text, pos);
    result += text.substr(pos, end - pos);
    if (end < text.size()) {
      result += replacement;
      end += sequence_at(text, end).length;
    }
    pos = end;
  }
  return result;
}

size_t count_code_points(std::string_view text) {
  auto result = size_t{0};
  for (auto pos = size_t{0}; pos < text.size();) {
    auto end = end_of_ascii(text, pos);
    result += end - pos;
    if (end < text.size()) {
      ++result;
      end += sequence_at(text, end).length;
    }
    pos = end;
  }
  return result;
}

size_t code_point_offset(std::string_view text, size_t count) {
  auto pos = size_t{0};
  for (; count > 0 && pos < text.size(); --count)
    pos += sequence_at(text, pos).length;
  return pos;
}

std::string excerpt(std::string_view text, size_t count) {
  auto end = code_point_offset(text, count);
  auto result = sanitize_utf8(text.substr(0, end));
  if (end < text.size())
    result += "…";
  return result;
}

} // namespace troupe
