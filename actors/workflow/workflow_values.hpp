#pragma once

#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/json/described.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <type_traits>
#include <utility>

namespace troupe {

/// A JSON value as its text, where no struct describes it.
struct raw_json {
  std::string text;
};

namespace detail {

/// The text of a value of a workflow. Throws `co::failure` where it has no JSON
/// form: a number that is not finite, text that is not UTF-8.
std::string stored_text(const nlohmann::ordered_json& value);

/// The text as it is; throws `co::failure` where it is no JSON.
std::string checked_json(std::string text);

/// What one step of a workflow gives, as it is stored.
template <class R>
std::string text_of(const R& value) {
  if constexpr (std::is_same_v<R, raw_json>)
    return checked_json(value.text);
  else
    return stored_text(value_for(value));
}

/// What was stored, as what it was. Throws `co::failure` where the workflow
/// expects something else by now.
template <class R>
R value_of(const std::string& text) {
  if constexpr (std::is_same_v<R, raw_json>) {
    return raw_json{text};
  } else {
    auto value = parse_json(text);
    if (!value)
      throw co::failure{std::move(value.error())};
    auto result = R{};
    if (auto why = read_value(reading{*value}, result))
      throw co::failure{std::move(why)};
    return result;
  }
}

} // namespace detail

} // namespace troupe
