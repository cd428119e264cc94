#include "troupe/config/expand_variables.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/redact.hpp"
#include "troupe/config/text_file.hpp"

namespace troupe {

namespace {

constexpr auto npos = std::string_view::npos;

bool is_name(std::string_view text) {
  constexpr auto letters = std::string_view{"abcdefghijklmnopqrstuvwxyz"
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                            "0123456789"};
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && !is_digit(text.front())
         && text.find_first_not_of(letters) == npos;
}

// What stands between the braces of the form that `text` begins with, or
// nothing when it is not one.
std::optional<std::string_view> inner_of(std::string_view text) {
  auto end = text.find('}');
  if (end == npos)
    return std::nullopt;
  auto inner = text.substr(2, end - 2);
  if (!is_name(inner.substr(0, inner.find(":-"))) || inner.find("${") != npos)
    return std::nullopt;
  return inner;
}

caf::error bad_form(std::string_view text) {
  auto end = text.find('}');
  auto form = text.substr(0, end == npos ? npos : end + 1);
  return make_error(errc::configuration,
                    quote(form)
                      + " is not a variable; write ${NAME} or "
                        "${NAME:-default}",
                    {}, "write $${ for a literal ${");
}

caf::error not_set(std::string_view name) {
  return make_error(
    errc::configuration,
    "the environment variable " + std::string{name} + " is not set", {},
    "set it, give a default as in ${" + std::string{name}
      + ":-default}, or write $${ for a literal ${");
}

// `inner` is what stands between the braces.
caf::expected<std::string> value_of(std::string_view inner,
                                    const variable_lookup& variables) {
  auto mark = inner.find(":-");
  auto name = inner.substr(0, mark);
  auto value = variables(name);
  if (mark != npos && (!value || value->empty()))
    return std::string{inner.substr(mark + 2)};
  if (!value)
    return not_set(name);
  return std::move(*value);
}

} // namespace

caf::expected<expanded_text> expand_variables(std::string_view text,
                                              const variable_lookup& variables,
                                              size_t limit) {
  auto result = expanded_text{};
  while (true) {
    auto begin = text.find("${");
    if (begin != npos && begin > 0 && text[begin - 1] == '$') {
      result.text += text.substr(0, begin - 1);
      result.text += "${";
      text.remove_prefix(begin + 2);
      continue;
    }
    result.text += text.substr(0, begin);
    if (result.text.size() > limit)
      return make_error(errc::configuration, "too long with its variables");
    if (begin == npos)
      return result;
    text.remove_prefix(begin);
    auto inner = inner_of(text);
    if (!inner)
      return bad_form(text);
    auto value = value_of(*inner, variables);
    if (!value)
      return std::move(value.error());
    if (looks_secret(inner->substr(0, inner->find(":-"))) && !value->empty())
      result.secrets.insert(*value);
    result.has_variable = true;
    result.text += *value;
    text.remove_prefix(inner->size() + std::string_view{"${}"}.size());
  }
}

} // namespace troupe
