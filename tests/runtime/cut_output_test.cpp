#include "troupe/runtime/tools/cut_output.hpp"

#include "support/catch.hpp"

#include "troupe/runtime/text/utf8.hpp"

using namespace troupe;

namespace {

std::string numbered_lines(size_t count) {
  auto result = std::string{};
  for (auto i = size_t{1}; i <= count; ++i)
    result += "line " + std::to_string(i) + "\n";
  return result;
}

std::string repeat(std::string_view text, size_t count) {
  auto result = std::string{};
  while (count-- > 0)
    result += text;
  return result;
}

} // namespace

TEST_CASE("cut_output leaves a short output as it is", "[cut_output]") {
  for (auto text : {"", "x", "x\n", "\n\n", "a\r\nb"}) {
    auto result = cut_output(text);
    CHECK(result.text == text);
    CHECK(result.lost_lines == 0);
  }
}

TEST_CASE("cut_output keeps the last 200 lines behind a marker",
          "[cut_output]") {
  CHECK(cut_output(numbered_lines(200)).lost_lines == 0);
  auto result = cut_output(numbered_lines(203));
  CHECK(result.lost_lines == 3);
  CHECK(result.text.find("…[truncated 3 lines]\nline 4\n") == 0);
  CHECK(result.text.find("line 203\n") == result.text.size() - 9);
}

TEST_CASE("cut_output counts a last line without a line break",
          "[cut_output]") {
  CHECK(cut_output(numbered_lines(199) + "end").lost_lines == 0);
  auto result = cut_output(numbered_lines(200) + "end");
  CHECK(result.lost_lines == 1);
  CHECK(result.text.find("\nline 2\n") != std::string::npos);
}

TEST_CASE("cut_output keeps at most 16,000 characters, marker included",
          "[cut_output]") {
  CHECK(cut_output(repeat("€", 16'000)).text == repeat("€", 16'000));
  auto result = cut_output(repeat("€", 16'001));
  CHECK(count_code_points(result.text) <= 16'000);
  CHECK(count_code_points(result.text) > 15'900);
  CHECK(result.text.find("…[truncated 1 lines]\n€") == 0);
  CHECK(result.lost_lines == 1);
}

TEST_CASE("cut_output counts the lines that the character limit cost",
          "[cut_output]") {
  auto line = repeat("x", 999) + "\n";
  auto result = cut_output(repeat(line, 50));
  CHECK(count_code_points(result.text) <= 16'000);
  CHECK(result.lost_lines == 35);
  CHECK(result.text.find("…[truncated 35 lines]\n") == 0);
}

TEST_CASE("cut_output replaces ill-formed UTF-8", "[cut_output]") {
  CHECK(cut_output("a\xff\nb").text == "a\xEF\xBF\xBD\nb");
}

TEST_CASE("cut_output removes escapes before it counts", "[cut_output]") {
  CHECK(cut_output(repeat("\x1b[31m", 100'000)).text.empty());
}

TEST_CASE("cut_page keeps whole lines from the beginning", "[cut_output]") {
  CHECK(cut_page("a\nb\nc\n", 100) == "a\nb\nc\n");
  CHECK(cut_page("a\nb\nc\n", 6) == "a\nb\nc\n");
  CHECK(cut_page("a\nb\nc\n", 5) == "a\nb\n");
  CHECK(cut_page("a\nbbbb", 4) == "a\n");
  CHECK(cut_page("€€€€", 3) == "€€€");
  CHECK(cut_page("", 0).empty());
}

TEST_CASE("strip_ansi removes every form of escape sequence", "[cut_output]") {
  CHECK(strip_ansi("a\x1b[1;31mred\x1b[0mb") == "aredb");
  CHECK(strip_ansi("\x1b]0;title\x07x") == "x");
  CHECK(strip_ansi("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\") == "link");
  CHECK(strip_ansi("\x1bP1$r\x1b\\x\x1b_app\x1b\\y\x1b^pm\x1b\\z") == "xyz");
  CHECK(strip_ansi("\x1b(Bx\x1b=y\x1b#8z") == "xyz");
  CHECK(strip_ansi("\x1b[?25l\x1b[2K>") == ">");
}

TEST_CASE("strip_ansi ends what nobody ended", "[cut_output]") {
  CHECK(strip_ansi("a\x1b").compare("a") == 0);
  CHECK(strip_ansi("a\x1b[1;3") == "a");
  CHECK(strip_ansi("a\x1b]0;title") == "a");
  CHECK(strip_ansi("a\x1b]0;title\nrest") == "a\nrest");
  CHECK(strip_ansi("a\x1b[12\nrest") == "a\nrest");
  CHECK(strip_ansi("\x1b\x1b[31mx") == "x");
  CHECK(strip_ansi("\x1b]0;t\x1b[31mx") == "x");
  CHECK(strip_ansi("\x1b[31€") == "€");
}
