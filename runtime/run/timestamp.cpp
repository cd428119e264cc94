#include "troupe/runtime/run/timestamp.hpp"

#include "troupe/config/errc.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>

namespace troupe {

int64_t now_micros() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

std::string rfc3339(int64_t micros) {
  auto seconds = static_cast<std::time_t>(micros / 1'000'000);
  auto rest = micros % 1'000'000;
  if (rest < 0) { // before 1970: the second below
    --seconds;
    rest += 1'000'000;
  }
  auto parts = std::tm{};
  gmtime_r(&seconds, &parts);
  char text[64];
  auto length = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof(text) - length, ".%06dZ",
                static_cast<int>(rest));
  return text;
}

namespace {

/// Reads fixed and other parts of a text one after another.
class time_reader {
public:
  explicit time_reader(std::string_view text) : rest_(text) {
    // nop
  }

  /// A number of exactly `digits` digits within `least` and `most`.
  int number(size_t digits, int least, int most) {
    auto value = 0;
    for (size_t i = 0; i < digits; ++i)
      value = value * 10 + digit();
    good_ = good_ && value >= least && value <= most;
    return value;
  }

  bool take(char what) {
    if (rest_.empty() || rest_.front() != what)
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  void need(bool condition) {
    good_ = good_ && condition;
  }

  /// The digits behind a point, as microseconds.
  int fraction() {
    auto result = 0;
    auto count = 0;
    for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
         ++count) {
      auto value = digit();
      if (count < 6)
        result = result * 10 + value;
    }
    need(count > 0);
    for (; count < 6; ++count)
      result *= 10;
    return result;
  }

  bool is_good_to_the_end() const {
    return good_ && rest_.empty();
  }

private:
  int digit() {
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
      good_ = false;
      return 0;
    }
    auto result = rest_.front() - '0';
    rest_.remove_prefix(1);
    return result;
  }

  std::string_view rest_;
  bool good_ = true;
};

/// Seconds east of UTC.
int offset(time_reader& in) {
  if (in.take('Z') || in.take('z'))
    return 0;
  auto west = in.take('-');
  if (!west)
    in.need(in.take('+'));
  auto hours = in.number(2, 0, 23);
  in.need(in.take(':'));
  auto minutes = in.number(2, 0, 59);
  auto seconds = (hours * 60 + minutes) * 60;
  return west ? -seconds : seconds;
}

} // namespace

caf::expected<int64_t> parse_rfc3339(std::string_view text) {
  auto in = time_reader{text};
  auto y = in.number(4, 1970, 9999);
  in.need(in.take('-'));
  auto m = in.number(2, 1, 12);
  in.need(in.take('-'));
  auto d = in.number(2, 1, 31);
  auto date
    = std::chrono::year_month_day{std::chrono::year{y},
                                  std::chrono::month{static_cast<unsigned>(m)},
                                  std::chrono::day{static_cast<unsigned>(d)}};
  in.need(date.ok());
  in.need(in.take('T') || in.take('t') || in.take(' '));
  auto hour = in.number(2, 0, 23);
  in.need(in.take(':'));
  auto minute = in.number(2, 0, 59);
  in.need(in.take(':'));
  auto second = in.number(2, 0, 60);
  auto micros = in.take('.') ? in.fraction() : 0;
  auto east = offset(in);
  if (!in.is_good_to_the_end())
    return make_error(errc::configuration,
                      "\"" + std::string{text}
                        + "\" is no time such as 2030-01-31T08:00:00Z");
  auto days = int64_t{std::chrono::sys_days{date}.time_since_epoch().count()};
  auto minutes = int64_t{hour} * 60 + minute;
  auto seconds = days * 86400 + minutes * 60 + second - east;
  return seconds * 1'000'000 + micros;
}

} // namespace troupe
