#include "troupe/runtime/model/hide_secrets.hpp"

#include "troupe/config/redact.hpp"

#include <algorithm>
#include <array>

namespace troupe {

namespace {

// A shorter key is a placeholder, and may be part of any word.
constexpr size_t shortest_key = 4;

// What stands before a token, in lower case, and whether it stays readable.
struct token_sign {
  std::string_view text;
  bool keep;
};

constexpr auto signs = std::array{token_sign{"bearer ", true},
                                  token_sign{"sk-", false}};

constexpr size_t shortest_token = 6;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_token_char(char c) {
  auto x = lower(c);
  return (x >= 'a' && x <= 'z') || (x >= '0' && x <= '9')
         || std::string_view{"-_.*~+/="}.find(c) != std::string_view::npos;
}

// How long the token is that starts here, 0 when it is none.
size_t token_size(std::string_view text) {
  auto end = std::find_if_not(text.begin(), text.end(), is_token_char);
  auto size = static_cast<size_t>(end - text.begin());
  return size < shortest_token ? 0 : size;
}

bool starts_with(std::string_view text, std::string_view sign) {
  return text.size() >= sign.size()
         && std::equal(sign.begin(), sign.end(), text.begin(),
                       [](char a, char b) { return a == lower(b); });
}

// "risk-assessment" has no key in it.
bool is_inside_word(std::string_view text, size_t pos) {
  auto c = pos == 0 ? ' ' : lower(text[pos - 1]);
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// How much of `all` from `pos` on is a secret, and what is shown in its place.
size_t secret_size(std::string_view all, size_t pos, std::string_view key,
                   std::string& out) {
  auto text = all.substr(pos);
  if (key.size() >= shortest_key && text.substr(0, key.size()) == key) {
    out += secret_mask;
    return key.size();
  }
  for (const auto& sign : signs) {
    if (!starts_with(text, sign.text) || is_inside_word(all, pos))
      continue;
    auto size = token_size(text.substr(sign.text.size()));
    if (size == 0)
      continue;
    if (sign.keep)
      out += text.substr(0, sign.text.size());
    out += secret_mask;
    return sign.text.size() + size;
  }
  return 0;
}

} // namespace

std::string hide_secrets(std::string_view text, const secret& key) {
  auto result = std::string{};
  for (size_t pos = 0; pos < text.size();) {
    auto size = secret_size(text, pos, key.reveal(), result);
    if (size == 0)
      result += text[pos++];
    pos += size;
  }
  return result;
}

} // namespace troupe
