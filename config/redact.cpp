#include "troupe/config/redact.hpp"

#include <algorithm>
#include <array>

namespace troupe {

namespace {

constexpr auto secret_words = std::array<std::string_view, 6>{
  "key", "token", "secret", "password", "passwd", "credential"};

// `std::tolower` asks the locale.
char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool has_word(std::string_view name, std::string_view word) {
  for (auto i = name.find(word); i != std::string_view::npos;
       i = name.find(word, i + 1))
    if (word != "token" || name.substr(i).substr(0, 6) != "tokens")
      return true;
  return false;
}

void mask_query(std::string& url, size_t begin) {
  while (begin < url.size()) {
    auto end = std::min(url.find_first_of("&#", begin), url.size());
    auto equals = url.find('=', begin);
    if (equals < end
        && looks_secret(std::string_view{url}.substr(begin, equals - begin))) {
      url.replace(equals + 1, end - equals - 1, secret_mask);
      end = equals + 1 + secret_mask.size();
    }
    begin = end + 1;
  }
}

} // namespace

bool looks_secret(std::string_view name) {
  auto lower = std::string{};
  for (auto c : name)
    lower += to_lower(c);
  for (auto word : secret_words)
    if (has_word(lower, word))
      return true;
  return false;
}

std::string redact(std::string text, const std::set<std::string>& secrets) {
  constexpr size_t min_length = 8;
  for (const auto& hidden : secrets) {
    if (hidden.size() < min_length)
      continue;
    for (auto i = text.find(hidden); i != std::string::npos;
         i = text.find(hidden, i + secret_mask.size()))
      text.replace(i, hidden.size(), secret_mask);
  }
  return text;
}

std::string mask_url(std::string_view url) {
  auto result = std::string{url};
  auto scheme = result.find("://");
  auto begin = scheme == std::string::npos ? 0 : scheme + 3;
  auto end = std::min(result.find_first_of("/?#", begin), result.size());
  auto at = result.rfind('@', end);
  if (at != std::string::npos && at >= begin && at < end)
    result.replace(begin, at - begin, secret_mask);
  auto query = result.find('?');
  if (query != std::string::npos)
    mask_query(result, query + 1);
  return result;
}

} // namespace troupe
