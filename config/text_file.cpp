#include "troupe/config/text_file.hpp"

#include "troupe/config/errc.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace troupe {

namespace {

uint8_t byte_at(std::string_view text, size_t i) {
  return static_cast<uint8_t>(text[i]);
}

bool is_tail(std::string_view text, size_t i) {
  return i < text.size() && (byte_at(text, i) & 0xC0) == 0x80;
}

// The length of the character at `i`, or 0 when it is not one.
size_t utf8_length(std::string_view text, size_t i) {
  auto first = byte_at(text, i);
  if (first < 0x80)
    return 1;
  if (first < 0xC2 || first > 0xF4 || !is_tail(text, i + 1))
    return 0;
  if (first < 0xE0)
    return 2;
  auto second = byte_at(text, i + 1);
  if (!is_tail(text, i + 2))
    return 0;
  if (first < 0xF0) {
    auto is_overlong = first == 0xE0 && second < 0xA0;
    auto is_surrogate = first == 0xED && second >= 0xA0;
    return is_overlong || is_surrogate ? 0 : 3;
  }
  auto is_overlong = first == 0xF0 && second < 0x90;
  auto is_beyond = first == 0xF4 && second >= 0x90;
  return is_overlong || is_beyond || !is_tail(text, i + 3) ? 0 : 4;
}

} // namespace

caf::expected<std::string> read_text_file(const std::string& path,
                                          size_t limit) {
  auto failure = std::error_code{};
  auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status))
    return make_error(errc::configuration, "no such file", path);
  // Opening a pipe would wait for a writer.
  if (!std::filesystem::is_regular_file(status))
    return make_error(errc::configuration, "not a regular file", path);
  auto in = std::ifstream{path, std::ios::binary};
  auto result = std::string{};
  auto chunk = std::array<char, 16'384>{};
  while (in && result.size() <= limit) {
    in.read(chunk.data(), chunk.size());
    result.append(chunk.data(), static_cast<size_t>(in.gcount()));
  }
  if (result.size() > limit)
    return make_error(errc::configuration,
                      "larger than " + std::to_string(limit) + " bytes", path);
  if (!in.eof())
    return make_error(errc::configuration, "cannot be read", path);
  return result;
}

std::optional<size_t> find_bad_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    auto length = utf8_length(text, i);
    if (length == 0)
      return i;
    i += length;
  }
  return std::nullopt;
}

std::optional<size_t> find_control(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i)
    if (byte_at(text, i) < 0x20 && text[i] != '\t' && text[i] != '\n'
        && text[i] != '\r')
      return i;
  return std::nullopt;
}

std::string place_of(std::string_view text, size_t offset,
                     std::string_view name) {
  auto before = text.substr(0, offset);
  auto line = std::count(before.begin(), before.end(), '\n') + 1;
  auto newline = before.rfind('\n');
  auto start = newline == std::string_view::npos ? 0 : newline + 1;
  return std::string{name} + ':' + std::to_string(line) + ':'
         + std::to_string(offset - start + 1);
}

std::string quote(std::string_view text) {
  constexpr size_t max_length = 80;
  constexpr auto digits = std::string_view{"0123456789abcdef"};
  auto result = std::string{"`"};
  for (size_t i = 0; i < text.size();) {
    auto length = std::max<size_t>(utf8_length(text, i), 1);
    if (i + length > max_length)
      return result + "…`";
    auto byte = byte_at(text, i);
    if (byte < 0x20 || byte == 0x7F) {
      result += "\\x";
      result += digits[byte >> 4];
      result += digits[byte & 15];
    } else {
      result += text.substr(i, length);
    }
    i += length;
  }
  return result + '`';
}

} // namespace troupe
