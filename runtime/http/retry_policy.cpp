#include "troupe/runtime/http/retry_policy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>

namespace troupe {

namespace {

using std::chrono::system_clock;

// The three forms of a date that HTTP allows; all are GMT.
constexpr auto date_formats = std::array{
  "%a, %d %b %Y %H:%M:%S",
  "%A, %d-%b-%y %H:%M:%S",
  "%a %b %d %H:%M:%S %Y",
};

// Longer waits are read as this one, which is still too long to be waited for.
constexpr auto longest_read = std::chrono::hours{24};

// A number of `unit`s, which may have a fraction.
std::optional<caf::timespan> read_number(std::string_view text,
                                         caf::timespan unit) {
  auto value = 0.0;
  auto [stop, ec] = std::from_chars(text.data(), text.data() + text.size(),
                                    value);
  if (ec != std::errc{} || stop != text.data() + text.size() || !(value >= 0))
    return std::nullopt;
  using seconds = std::chrono::duration<double>;
  auto wish = std::min(seconds{unit} * value, seconds{longest_read});
  return std::chrono::duration_cast<caf::timespan>(wish);
}

std::optional<std::time_t> read_date(std::string_view text) {
  for (auto* format : date_formats) {
    auto in = std::istringstream{std::string{text}};
    in.imbue(std::locale::classic());
    auto fields = std::tm{};
    in >> std::get_time(&fields, format);
    if (!in.fail())
      return timegm(&fields);
  }
  return std::nullopt;
}

caf::timespan full_wait(const retry_settings& settings, uint32_t attempt) {
  auto doublings = std::min(attempt - 1, uint32_t{62});
  auto wait = static_cast<double>(settings.base.count())
              * std::exp2(static_cast<double>(doublings));
  auto most = static_cast<double>(settings.max.count());
  return caf::timespan{static_cast<int64_t>(std::min(wait, most))};
}

caf::timespan part_of(caf::timespan whole, double chance) {
  auto count = static_cast<double>(whole.count()) * chance;
  return caf::timespan{static_cast<int64_t>(count)};
}

} // namespace

bool is_retryable_status(int status) {
  return status == 408 || status == 409 || status == 429
         || (status >= 500 && status < 600);
}

bool is_retryable_kind(errc kind) {
  return kind == errc::rate_limit || kind == errc::overloaded
         || kind == errc::timeout || kind == errc::network;
}

std::optional<caf::timespan> retry_delay(const retry_settings& settings,
                                         const failed_attempt& failed,
                                         double chance) {
  const auto& what = failed.what;
  if (!what.retryable || failed.progress == answer_progress::some
      || failed.attempt >= settings.attempts || what.retry_after > longest_wish)
    return std::nullopt;
  auto delay = what.retry_after > caf::timespan{0}
                 ? what.retry_after + part_of(settings.base, chance)
                 : part_of(full_wait(settings, failed.attempt), chance);
  if (delay >= failed.remaining)
    return std::nullopt;
  return delay;
}

caf::timespan retry_after_of(const http_head& head,
                             system_clock::time_point now) {
  using namespace std::chrono_literals;
  if (auto wish = read_number(head.header("retry-after-ms"), 1ms))
    return *wish;
  auto text = head.header("retry-after");
  if (auto wish = read_number(text, 1s))
    return *wish;
  if (auto date = read_date(text))
    return std::clamp<std::chrono::seconds>(
      std::chrono::seconds{*date - system_clock::to_time_t(now)}, 0s,
      longest_read);
  return caf::timespan{0};
}

} // namespace troupe
