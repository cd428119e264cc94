#include "troupe/sandbox/utf8.hpp"

#include "support/catch.hpp"

using namespace troupe;
using namespace std::literals;

TEST_CASE("valid UTF-8 is not touched", "[utf8]") {
  for (auto text : {""sv, "plain"sv, "é"sv, "…"sv, "𝄞"sv, "\u0000a"sv,
                    "\U0010FFFF"sv, "\uE000"sv})
    CHECK(repair_utf8(text) == text);
}

TEST_CASE("each byte that is no UTF-8 is replaced", "[utf8]") {
  CHECK(repair_utf8("a\xFFz") == "a\uFFFDz");
  CHECK(repair_utf8("\xC3") == "\uFFFD");
  CHECK(repair_utf8("\xE2\x80") == "\uFFFD\uFFFD");
  CHECK(repair_utf8("\x80\xC3\xA9") == "\uFFFDé");
  // Overlong, surrogate, past the last character.
  CHECK(repair_utf8("\xC0\xAF") == "\uFFFD\uFFFD");
  CHECK(repair_utf8("\xE0\x80\xAF") == "\uFFFD\uFFFD\uFFFD");
  CHECK(repair_utf8("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");
  CHECK(repair_utf8("\xF4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST_CASE("text is cut between characters", "[utf8]") {
  CHECK(cut_utf8("aé", 3) == "aé");
  CHECK(cut_utf8("aé", 2) == "a");
  CHECK(cut_utf8("𝄞", 3).empty());
  CHECK(cut_characters("aé𝄞b", 3) == "aé𝄞");
  CHECK(cut_characters("aé", 5) == "aé");
  CHECK(cut_characters("é", 0).empty());
}

TEST_CASE("different bytes decode to different characters", "[utf8]") {
  CHECK(decode_utf8("a𝄞") == U"a\U0001D11E");
  CHECK(decode_utf8("\xFF") != decode_utf8("\xFE"));
  CHECK(decode_utf8("\xFF") != decode_utf8("\uFFFD"));
}
