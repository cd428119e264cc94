#include "troupe/config/parse_units.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

#include <limits>

using namespace troupe;
using namespace std::chrono_literals;

TEST_CASE("parse_duration reads each unit", "[parse_units]") {
  CHECK(parse_duration("250ms") == caf::timespan{250ms});
  CHECK(parse_duration("30s") == caf::timespan{30s});
  CHECK(parse_duration("10m") == caf::timespan{10min});
  CHECK(parse_duration("1h") == caf::timespan{1h});
  CHECK(parse_duration("7us") == caf::timespan{7us});
  CHECK(parse_duration("9ns") == caf::timespan{9ns});
  CHECK(parse_duration("0s") == caf::timespan{0});
}

TEST_CASE("parse_duration refuses what is not a number and a unit",
          "[parse_units]") {
  auto text = GENERATE(as<std::string>{}, "", "10", "s", "-1s", "+1s", "1.5s",
                       "1 s", " 1s", "1s ", "1S", "1d", "1m30s", "0x1s");
  auto result = parse_duration(text);
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).message
        == "`" + text + "` is not a duration such as 250ms, 30s, 10m or 1h");
}

TEST_CASE("parse_duration refuses what overflows", "[parse_units]") {
  CHECK(parse_duration("2562047h"));
  CHECK_FALSE(parse_duration("2562048h"));
  CHECK(parse_duration("9223372036854775807ns"));
  CHECK_FALSE(parse_duration("9223372036854775808ns"));
  CHECK_FALSE(parse_duration("99999999999999999999s"));
}

TEST_CASE("parse_size reads binary, decimal and plain numbers",
          "[parse_units]") {
  CHECK(parse_size("0") == uint64_t{0});
  CHECK(parse_size("4096") == uint64_t{4096});
  CHECK(parse_size("12B") == uint64_t{12});
  CHECK(parse_size("64KiB") == uint64_t{65'536});
  CHECK(parse_size("1MiB") == uint64_t{1'048'576});
  CHECK(parse_size("2GiB") == uint64_t{2'147'483'648});
  CHECK(parse_size("1MB") == uint64_t{1'000'000});
  CHECK(parse_size("1TiB") == uint64_t{1} << 40);
}

TEST_CASE("parse_size refuses garbage and overflow", "[parse_units]") {
  auto text = GENERATE(as<std::string>{}, "", "MiB", "-1", "1.5MiB", "1 MiB",
                       "1mib", "1K", "18446744073709551616", "16777216TiB");
  CHECK_FALSE(parse_size(text));
}

TEST_CASE("format_duration takes the largest unit that is exact",
          "[parse_units]") {
  CHECK(format_duration(10min) == "10m");
  CHECK(format_duration(90s) == "90s");
  CHECK(format_duration(1500ms) == "1500ms");
  CHECK(format_duration(24h) == "24h");
  CHECK(format_duration(caf::timespan{0}) == "0s");
}

TEST_CASE("format_size takes the shortest exact form", "[parse_units]") {
  CHECK(format_size(65'536) == "64KiB");
  CHECK(format_size(1'000'000) == "1MB");
  CHECK(format_size(16ull << 30) == "16GiB");
  CHECK(format_size(1'000'001) == "1000001");
  CHECK(format_size(0) == "0");
}

TEST_CASE("what is formatted reads back as it was", "[parse_units]") {
  constexpr auto max = std::numeric_limits<uint64_t>::max();
  for (auto x : {uint64_t{0}, uint64_t{1}, uint64_t{1023}, uint64_t{1} << 63,
                 uint64_t{1'024'000}, max})
    CHECK(parse_size(format_size(x)) == x);
  for (auto x : {int64_t{1}, int64_t{1'000}, int64_t{3'600'000'000'001},
                 std::numeric_limits<int64_t>::max()})
    CHECK(parse_duration(format_duration(caf::timespan{x}))
          == caf::timespan{x});
}
