#include "troupe/runtime/http/retry_policy.hpp"

#include "support/catch.hpp"

using namespace std::chrono_literals;
using namespace troupe;

namespace {

failed_attempt failure(uint32_t attempt = 1) {
  auto result = failed_attempt{};
  result.what.kind = errc::overloaded;
  result.what.retryable = true;
  result.attempt = attempt;
  return result;
}

caf::timespan wish_of(const std::string& lines) {
  // Sun, 06 Nov 1994 08:49:00 GMT
  auto now = std::chrono::system_clock::from_time_t(784111740);
  return retry_after_of({429, lines}, now);
}

} // namespace

TEST_CASE("the retry policy retries conflicts, limits and server errors",
          "[retry]") {
  for (auto status : {408, 409, 429, 500, 502, 503, 504, 529})
    CHECK(is_retryable_status(status));
  for (auto status : {200, 301, 400, 401, 403, 404, 413, 422, 600})
    CHECK_FALSE(is_retryable_status(status));
}

TEST_CASE("the retry policy doubles the wait up to its maximum", "[retry]") {
  auto settings = retry_settings{100, 500ms, 30s};
  CHECK(retry_delay(settings, failure(1), 1.0) == 500ms);
  CHECK(retry_delay(settings, failure(2), 1.0) == 1s);
  CHECK(retry_delay(settings, failure(3), 1.0) == 2s);
  CHECK(retry_delay(settings, failure(7), 1.0) == 30s);
  CHECK(retry_delay(settings, failure(99), 1.0) == 30s);
}

TEST_CASE("the retry policy draws the whole wait by chance", "[retry]") {
  auto settings = retry_settings{4, 500ms, 30s};
  CHECK(retry_delay(settings, failure(3), 0.0) == 0s);
  CHECK(retry_delay(settings, failure(3), 0.25) == 500ms);
}

TEST_CASE("the retry policy ends with the last attempt", "[retry]") {
  auto settings = retry_settings{2, 500ms, 30s};
  CHECK(retry_delay(settings, failure(1), 0.5));
  CHECK_FALSE(retry_delay(settings, failure(2), 0.5));
}

TEST_CASE("the retry policy never repeats an answer that has begun",
          "[retry]") {
  auto failed = failure();
  failed.progress = answer_progress::some;
  CHECK_FALSE(retry_delay({}, failed, 0.5));
}

TEST_CASE("the retry policy gives up on errors that stay", "[retry]") {
  auto failed = failure();
  failed.what.retryable = false;
  CHECK_FALSE(retry_delay({}, failed, 0.5));
}

TEST_CASE("the retry policy waits as long as the provider asks", "[retry]") {
  auto settings = retry_settings{4, 500ms, 1s};
  auto failed = failure();
  failed.what.retry_after = 20s;
  CHECK(retry_delay(settings, failed, 0.0) == 20s);
  CHECK(retry_delay(settings, failed, 1.0) == 20s + 500ms);
  failed.what.retry_after = longest_wish + 1s;
  CHECK_FALSE(retry_delay(settings, failed, 0.0));
}

TEST_CASE("the retry policy gives up at once when the wait passes the deadline",
          "[retry]") {
  auto failed = failure();
  failed.remaining = 10s;
  CHECK(retry_delay({}, failed, 1.0));
  failed.what.retry_after = 10s;
  CHECK_FALSE(retry_delay({}, failed, 0.0));
  failed.what.retry_after = 0s;
  failed.remaining = 500ms;
  CHECK_FALSE(retry_delay({}, failed, 1.0));
}

TEST_CASE("Retry-After is read as seconds or a date", "[retry]") {
  CHECK(wish_of("Retry-After: 12\r\n") == 12s);
  CHECK(wish_of("retry-after: 1.5\r\n") == 1500ms);
  CHECK(wish_of("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n") == 37s);
  CHECK(wish_of("Retry-After: Sunday, 06-Nov-94 08:49:37 GMT\r\n") == 37s);
  CHECK(wish_of("Retry-After: Sun Nov  6 08:49:37 1994\r\n") == 37s);
}

TEST_CASE("retry-after-ms is more exact than Retry-After", "[retry]") {
  CHECK(wish_of("Retry-After: 1\r\nretry-after-ms: 250\r\n") == 250ms);
}

TEST_CASE("a Retry-After that makes no sense asks for nothing", "[retry]") {
  for (auto text : {"", "soon", "-5", "nan", "Sun, 99 Foo", "12 apples",
                    "Sat, 05 Nov 1994 08:49:37 GMT"})
    CHECK(wish_of("Retry-After: " + std::string{text} + "\r\n") == 0s);
  CHECK(wish_of("") == 0s);
}

TEST_CASE("a Retry-After of ages is longer than any wait", "[retry]") {
  CHECK(wish_of("Retry-After: 1e300\r\n") > longest_wish);
  CHECK(wish_of("Retry-After: inf\r\n") > longest_wish);
  CHECK(wish_of("Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n")
        > longest_wish);
}
