#include "troupe/config/core_schema.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

namespace troupe {

namespace {

bool is_one_of(std::string_view x, std::initializer_list<std::string_view> xs) {
  return std::find(xs.begin(), xs.end(), x) != xs.end();
}

size_t count_digits(std::string_view x) {
  return std::min(x.find_first_not_of("0123456789"), x.size());
}

// [0-9]+ ( \. [0-9]* )? | \. [0-9]+, then an optional exponent; no sign.
bool is_decimal(std::string_view x) {
  auto whole = count_digits(x);
  x.remove_prefix(whole);
  auto fraction = size_t{0};
  if (x.starts_with('.')) {
    fraction = count_digits(x.substr(1));
    x.remove_prefix(1 + fraction);
  }
  if (whole + fraction == 0)
    return false;
  if (x.empty())
    return true;
  if (x.front() != 'e' && x.front() != 'E')
    return false;
  x.remove_prefix(1);
  if (x.starts_with('-') || x.starts_with('+'))
    x.remove_prefix(1);
  return !x.empty() && count_digits(x) == x.size();
}

std::optional<uint64_t> to_whole(std::string_view digits, int base) {
  auto result = uint64_t{0};
  const auto* first = digits.data();
  const auto* last = first + digits.size();
  auto [end, failure] = std::from_chars(first, last, result, base);
  if (failure != std::errc{} || end != last)
    return std::nullopt;
  return result;
}

// What a double cannot hold, be it too large or too small, is infinite, which
// its readers refuse.
double to_double(std::string_view digits) {
  auto result = 0.0;
  auto [end, failure] = std::from_chars(digits.data(),
                                        digits.data() + digits.size(), result);
  if (failure == std::errc::result_out_of_range)
    return std::numeric_limits<double>::infinity();
  return result;
}

core_value resolve_integer(std::string_view digits, bool is_negative) {
  constexpr auto limit = uint64_t{1} << 63;
  auto whole = to_whole(digits, 10);
  if (!whole || (is_negative && *whole > limit))
    return is_negative ? -to_double(digits) : to_double(digits);
  if (is_negative)
    return static_cast<int64_t>(uint64_t{0} - *whole);
  if (*whole < limit)
    return static_cast<int64_t>(*whole);
  return *whole;
}

core_value resolve_number(std::string_view plain) {
  auto digits = plain;
  auto is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+'))
    digits.remove_prefix(1);
  if (is_one_of(digits, {".inf", ".Inf", ".INF"}))
    return std::numeric_limits<double>::infinity() * (is_negative ? -1 : 1);
  if (!is_decimal(digits))
    return plain;
  if (count_digits(digits) == digits.size())
    return resolve_integer(digits, is_negative);
  auto result = to_double(digits);
  return is_negative ? -result : result;
}

} // namespace

core_value resolve_core(std::string_view plain) {
  if (is_one_of(plain, {"", "~", "null", "Null", "NULL"}))
    return nullptr;
  if (is_one_of(plain, {"true", "True", "TRUE"}))
    return true;
  if (is_one_of(plain, {"false", "False", "FALSE"}))
    return false;
  if (is_one_of(plain, {".nan", ".NaN", ".NAN"}))
    return std::numeric_limits<double>::quiet_NaN();
  for (auto [prefix, base] : {std::pair{"0x", 16}, std::pair{"0o", 8}})
    if (plain.starts_with(prefix))
      if (auto whole = to_whole(plain.substr(2), base))
        return *whole <= std::numeric_limits<int64_t>::max()
                 ? core_value{static_cast<int64_t>(*whole)}
                 : core_value{*whole};
  return resolve_number(plain);
}

} // namespace troupe
