#include "troupe/config/parse_units.hpp"

#include "troupe/config/errc.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>

namespace troupe {

namespace {

struct unit {
  std::string_view name;
  uint64_t factor;
};

// Ascending, because formatting takes the last one that divides.
constexpr auto duration_units = std::array{
  unit{"ns", 1},
  unit{"us", 1'000},
  unit{"ms", 1'000'000},
  unit{"s", 1'000'000'000},
  unit{"m", 60'000'000'000},
  unit{"h", 3'600'000'000'000},
};

constexpr auto size_units = std::array{
  unit{"", 1},
  unit{"B", 1},
  unit{"KB", 1'000},
  unit{"KiB", 1ull << 10},
  unit{"MB", 1'000'000},
  unit{"MiB", 1ull << 20},
  unit{"GB", 1'000'000'000},
  unit{"GiB", 1ull << 30},
  unit{"TB", 1'000'000'000'000},
  unit{"TiB", 1ull << 40},
};

std::optional<uint64_t> parse(std::string_view text, uint64_t max,
                              std::span<const unit> units) {
  auto number = uint64_t{0};
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(),
                                        number);
  if (failure != std::errc{})
    return std::nullopt;
  auto name = text.substr(static_cast<size_t>(end - text.data()));
  for (const auto& x : units)
    if (x.name == name && number <= max / x.factor)
      return number * x.factor;
  return std::nullopt;
}

std::string format(uint64_t x, std::span<const unit> units) {
  auto best = units.front();
  for (const auto& candidate : units)
    if (x != 0 && x % candidate.factor == 0 && candidate.factor > best.factor)
      best = candidate;
  return std::to_string(x / best.factor) + std::string{best.name};
}

caf::error not_a(std::string_view text, std::string_view forms) {
  auto message = '`' + std::string{text} + "` is not ";
  message += forms;
  return make_error(errc::configuration, std::move(message));
}

} // namespace

caf::expected<caf::timespan> parse_duration(std::string_view text) {
  constexpr auto max = std::numeric_limits<caf::timespan::rep>::max();
  auto count = parse(text, static_cast<uint64_t>(max), duration_units);
  if (!count)
    return not_a(text, duration_forms);
  return caf::timespan{static_cast<caf::timespan::rep>(*count)};
}

caf::expected<uint64_t> parse_size(std::string_view text) {
  constexpr auto max = std::numeric_limits<uint64_t>::max();
  if (auto count = parse(text, max, size_units))
    return *count;
  return not_a(text, size_forms);
}

std::string format_duration(caf::timespan x) {
  if (x.count() == 0)
    return "0s";
  return format(static_cast<uint64_t>(x.count()), duration_units);
}

std::string format_size(uint64_t x) {
  return format(x, size_units);
}

} // namespace troupe
