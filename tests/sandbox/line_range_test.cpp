#include "troupe/sandbox/line_range.hpp"

#include "support/catch.hpp"

#include <limits>

using namespace troupe;

TEST_CASE("a line range keeps the lines asked for and counts all",
          "[line_range]") {
  auto sut = line_range{2, 2, 100};
  sut.feed("one\ntwo\nthree\nfour");
  CHECK(sut.total() == 4);
  CHECK(sut.take_content() == "two\nthree\n");
  CHECK_FALSE(sut.is_cut());
}

TEST_CASE("a line range does not depend on how the text is cut",
          "[line_range]") {
  auto text = std::string{"a\r\nb\n\nc"};
  for (auto at = size_t{0}; at <= text.size(); ++at) {
    auto sut = line_range{1, 0, 100};
    sut.feed(text.substr(0, at));
    sut.feed(text.substr(at));
    CHECK(sut.total() == 4);
    CHECK(sut.take_content() == text);
  }
}

TEST_CASE("a line range counts the lines of edge cases", "[line_range]") {
  auto lines = [](const char* text) {
    auto sut = line_range{1, 0, 100};
    sut.feed(text);
    return sut.total();
  };
  CHECK(lines("") == 0);
  CHECK(lines("\n") == 1);
  CHECK(lines("a") == 1);
  CHECK(lines("a\n") == 1);
  CHECK(lines("a\n\n") == 2);
}

TEST_CASE("a line range that is too large ends with a whole line",
          "[line_range]") {
  auto sut = line_range{1, 0, 9};
  sut.feed("one\ntwo\nthree\n");
  CHECK(sut.total() == 3);
  CHECK(sut.take_content() == "one\ntwo\n");
  CHECK(sut.is_cut());
}

TEST_CASE("a line longer than the limit is cut between characters",
          "[line_range]") {
  auto sut = line_range{1, 0, 4};
  sut.feed("aéé and more");
  CHECK(sut.take_content() == "aé");
  CHECK(sut.is_cut());
}

TEST_CASE("replacing bad bytes does not exceed the limit", "[line_range]") {
  auto sut = line_range{1, 0, 8};
  sut.feed("\xFF\xFF\xFF\xFF\xFF\xFF");
  CHECK(sut.take_content() == "\uFFFD\uFFFD");
  CHECK(sut.is_cut());
}

TEST_CASE("a line range survives the largest numbers", "[line_range]") {
  constexpr auto most = std::numeric_limits<uint64_t>::max();
  auto all = line_range{0, most, 100};
  all.feed("a\nb\n");
  CHECK(all.take_content() == "a\nb\n");
  auto none = line_range{most, most, 100};
  none.feed("a\nb\n");
  CHECK(none.take_content().empty());
  CHECK(none.total() == 2);
}
