#include "troupe/runtime/http/http_types.hpp"

#include <algorithm>

namespace troupe {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view x, std::string_view y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::string_view trimmed(std::string_view text) {
  auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string_view without_trailing(std::string_view text, char c) {
  while (!text.empty() && text.back() == c)
    text.remove_suffix(1);
  return text;
}

} // namespace

std::string_view http_head::header(std::string_view name) const {
  auto result = std::string_view{};
  auto rest = std::string_view{lines};
  while (!rest.empty()) {
    auto end = std::min(rest.find('\n'), rest.size());
    auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    auto colon = line.find(':');
    if (colon != std::string_view::npos
        && same_name(line.substr(0, colon), name))
      result = trimmed(line.substr(colon + 1));
  }
  return result;
}

std::string join_url(std::string_view base, std::string_view path) {
  base = base.substr(0, base.find('#'));
  auto query = std::min(base.find('?'), base.size());
  auto result = std::string{without_trailing(base.substr(0, query), '/')};
  while (!path.empty() && path.front() == '/')
    path.remove_prefix(1);
  result += '/';
  result += path;
  result += base.substr(query);
  return result;
}

} // namespace troupe
