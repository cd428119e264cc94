#include "troupe/runtime/http/sse_parser.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

#include <string>
#include <vector>

using namespace troupe;

namespace {

using texts = std::vector<std::string>;

// Every event as "event|data|id", from a stream that comes in these chunks.
texts events_of(const texts& chunks) {
  auto parser = sse_parser{};
  auto result = texts{};
  auto drain = [&] {
    while (auto event = parser.next())
      result.push_back(std::string{event->event} + '|'
                       + std::string{event->data} + '|'
                       + std::string{event->id});
  };
  for (const auto& chunk : chunks) {
    parser.feed(chunk);
    drain();
  }
  parser.finish();
  drain();
  CHECK_FALSE(parser.error());
  return result;
}

texts cut(const std::string& text, size_t size) {
  auto result = texts{};
  for (size_t pos = 0; pos < text.size(); pos += size)
    result.push_back(text.substr(pos, size));
  return result;
}

} // namespace

TEST_CASE("the sse parser accepts every line end", "[sse]") {
  auto expected = texts{"|one|", "|two|"};
  CHECK(events_of({"data: one\n\ndata: two\n\n"}) == expected);
  CHECK(events_of({"data: one\r\n\r\ndata: two\r\n\r\n"}) == expected);
  CHECK(events_of({"data: one\r\rdata: two\r\r"}) == expected);
}

TEST_CASE("the sse parser gives one event when CR and LF come apart", "[sse]") {
  auto expected = texts{"|a\nb|"};
  CHECK(events_of({"data: a\r", "\ndata: b\r", "\n\r", "\n"}) == expected);
}

TEST_CASE("the sse parser gives the same events for every cut", "[sse]") {
  auto text = std::string{"\xEF\xBB\xBF: hello\r\nevent: delta\r\nid: 7\r\n"
                          "data: gr\xC3\xBC\xC3\x9F dich \xF0\x9F\x8C\x8D\r\n"
                          "data:second\r\n\r\ndata\n\nid\nevent:x\rdata: 3\r\r"
                          "retry: 10\nevent: lost\n\ndata: {\"a\":1}\n"};
  auto expected = texts{
    "delta|gr\xC3\xBC\xC3\x9F dich \xF0\x9F\x8C\x8D\nsecond|7",
    "||7",
    "x|3|",
    "|{\"a\":1}|",
  };
  for (size_t size = 1; size <= text.size(); ++size) {
    INFO("chunks of " << size);
    CHECK(events_of(cut(text, size)) == expected);
  }
}

TEST_CASE("the sse parser joins data lines with a newline", "[sse]") {
  CHECK(events_of({"data: a\ndata:\ndata: b\n\n"}) == texts{"|a\n\nb|"});
}

TEST_CASE("the sse parser strips one space after the colon only", "[sse]") {
  CHECK(events_of({"data:a\n\ndata:  b\n\n"}) == texts{"|a|", "| b|"});
}

TEST_CASE("the sse parser skips comments and events without data", "[sse]") {
  CHECK(events_of({": ping\n\nevent: x\n\ndata: a\n\n"}) == texts{"|a|"});
}

TEST_CASE("the sse parser strips a byte order mark at the start only",
          "[sse]") {
  auto text = std::string{"\xEF\xBB\xBF"
                          "data: a\n\n"
                          "\xEF\xBB\xBF"
                          "data: b\n\ndata: c\n\n"};
  CHECK(events_of(cut(text, 1)) == texts{"|a|", "|c|"});
}

TEST_CASE("the sse parser flushes an event that lacks its blank line",
          "[sse]") {
  CHECK(events_of({"data: a\n"}) == texts{"|a|"});
  CHECK(events_of({"data: a"}) == texts{"|a|"});
  CHECK(events_of({"event: x"}).empty());
}

TEST_CASE("the sse parser keeps the last id and ignores one with a NUL",
          "[sse]") {
  auto id = std::string{"id: 2"};
  id += '\0';
  auto text = "id: 1\ndata: a\n\n" + id + "\ndata: b\n\n";
  CHECK(events_of({text}) == texts{"|a|1", "|b|1"});
}

TEST_CASE("the sse parser fails when an event exceeds its limit", "[sse]") {
  auto parser = sse_parser{64};
  parser.feed("data: first\n\n");
  REQUIRE(parser.next());
  auto piece = std::string(10, 'x');
  for (auto i = 0; i < 7; ++i) {
    parser.feed(piece);
    CHECK_FALSE(parser.next());
  }
  CHECK(to_fault(parser.error()).kind == errc::protocol);
  parser.feed("\n\ndata: late\n\n");
  CHECK_FALSE(parser.next());
}

TEST_CASE("the sse parser does not count comments against the limit", "[sse]") {
  auto parser = sse_parser{64};
  for (auto i = 0; i < 100; ++i) {
    parser.feed(": still here\n");
    CHECK_FALSE(parser.next());
  }
  CHECK_FALSE(parser.error());
}
