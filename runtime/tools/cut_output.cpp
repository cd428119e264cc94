#include "troupe/runtime/tools/cut_output.hpp"

#include "troupe/runtime/text/utf8.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr auto esc = '\x1b';
constexpr auto bel = '\x07';

bool in_range(char c, char low, char high) {
  return c >= low && c <= high;
}

size_t skip_range(std::string_view text, size_t pos, char low, char high) {
  while (pos < text.size() && in_range(text[pos], low, high))
    ++pos;
  return pos;
}

size_t skip_final(std::string_view text, size_t pos, char low) {
  return pos < text.size() && in_range(text[pos], low, '\x7e') ? pos + 1 : pos;
}

// Parameters, intermediates, one final byte.
size_t end_of_csi(std::string_view text, size_t pos) {
  pos = skip_range(text, pos, '\x30', '\x3f');
  pos = skip_range(text, pos, '\x20', '\x2f');
  return skip_final(text, pos, '\x40');
}

size_t end_of_string(std::string_view text, size_t pos) {
  for (; pos < text.size() && text[pos] != '\n'; ++pos) {
    if (text[pos] == bel)
      return pos + 1;
    // ST; any other ESC aborts the string and starts a sequence of its own.
    if (text[pos] == esc)
      return pos + 1 < text.size() && text[pos + 1] == '\\' ? pos + 2 : pos;
  }
  return pos;
}

// `pos` is behind the ESC.
size_t end_of_sequence(std::string_view text, size_t pos) {
  if (pos == text.size())
    return pos;
  switch (text[pos]) {
    case '[':
      return end_of_csi(text, pos + 1);
    case ']': // OSC
    case 'P': // DCS
    case 'X': // SOS
    case '^': // PM
    case '_': // APC
      return end_of_string(text, pos + 1);
    default:
      return skip_final(text, skip_range(text, pos, '\x20', '\x2f'), '\x30');
  }
}

size_t count_lines(std::string_view text) {
  auto breaks = std::count(text.begin(), text.end(), '\n');
  auto open = !text.empty() && text.back() != '\n';
  return static_cast<size_t>(breaks) + (open ? 1 : 0);
}

// A line break at the very end ends the last line, it does not start one.
std::string_view last_lines(std::string_view text, size_t count) {
  auto pos = text.size();
  if (pos > 0 && text.back() == '\n')
    --pos;
  while (count-- > 0) {
    auto found = text.substr(0, pos).rfind('\n');
    if (found == std::string_view::npos)
      return text;
    pos = found;
  }
  return text.substr(std::min(pos + 1, text.size()));
}

std::string_view last_characters(std::string_view text, size_t count) {
  auto total = count_code_points(text);
  if (total <= count)
    return text;
  return text.substr(code_point_offset(text, total - count));
}

std::string marker(size_t lines) {
  return "…[truncated " + std::to_string(lines) + " lines]\n";
}

// Lines that `tail` does not show in full; `tail` ends where `all` does.
size_t lost(std::string_view all, std::string_view tail) {
  auto head = all.substr(0, all.size() - tail.size());
  return count_lines(head);
}

} // namespace

std::string strip_ansi(std::string_view text) {
  auto result = std::string{};
  result.reserve(text.size());
  for (auto pos = size_t{0}; pos < text.size();) {
    auto next = std::min(text.find(esc, pos), text.size());
    result += text.substr(pos, next - pos);
    pos = next < text.size() ? end_of_sequence(text, next + 1) : next;
  }
  return result;
}

std::string_view cut_page(std::string_view text, size_t characters) {
  auto fitting = text.substr(0, code_point_offset(text, characters));
  if (fitting.size() == text.size())
    return text;
  auto end = fitting.rfind('\n');
  return end == std::string_view::npos ? fitting : fitting.substr(0, end + 1);
}

cut_text cut_output(std::string_view text, const output_limits& limits) {
  auto clean = sanitize_utf8(strip_ansi(text));
  auto all = std::string_view{clean};
  auto tail = last_lines(all, limits.lines);
  if (tail.size() == all.size() && count_code_points(all) <= limits.characters)
    return {std::move(clean), 0};
  // The marker's longest form is reserved, so that its number may grow.
  auto room = marker(count_lines(all)).size();
  tail = last_characters(tail, limits.characters > room
                                 ? limits.characters - room
                                 : 0);
  auto lines = lost(all, tail);
  auto result = marker(lines);
  result += tail;
  return {std::move(result), lines};
}

} // namespace troupe
