#include "troupe/runtime/json/json_string.hpp"

#include "troupe/runtime/text/utf8.hpp"

#include <array>
#include <cstdint>

namespace troupe {

namespace {

enum class byte_class : uint8_t { plain, escaped, high };

constexpr auto classes = [] {
  auto result = std::array<byte_class, 256>{};
  for (size_t i = 0; i < 0x20; ++i)
    result[i] = byte_class::escaped;
  result['"'] = byte_class::escaped;
  result['\\'] = byte_class::escaped;
  for (size_t i = 0x80; i < 0x100; ++i)
    result[i] = byte_class::high;
  return result;
}();

byte_class class_of(char c) {
  return classes[static_cast<uint8_t>(c)];
}

void append_escaped(std::string& out, char c) {
  constexpr auto digits = std::string_view{"0123456789abcdef"};
  constexpr auto shorts = std::string_view{"\"\"\\\\\nn\rr\tt\bb\ff"};
  for (size_t i = 0; i < shorts.size(); i += 2) {
    if (shorts[i] == c) {
      out += '\\';
      out += shorts[i + 1];
      return;
    }
  }
  auto value = static_cast<uint8_t>(c);
  out += "\\u00";
  out += digits[value >> 4];
  out += digits[value & 15];
}

} // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (size_t pos = 0; pos < text.size();) {
    auto kind = class_of(text[pos]);
    auto end = pos + 1;
    while (end < text.size() && class_of(text[end]) == kind)
      ++end;
    auto run = text.substr(pos, end - pos);
    if (kind == byte_class::plain)
      out += run;
    else if (kind == byte_class::high) // no character spans an ASCII byte
      out += sanitize_utf8(run);
    else
      for (auto c : run)
        append_escaped(out, c);
    pos = end;
  }
  out += '"';
}

} // namespace troupe
