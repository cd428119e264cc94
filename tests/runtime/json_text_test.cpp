#include "troupe/runtime/json/json_text.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

#include <nlohmann/json.hpp>

using namespace troupe;
using nlohmann::json;

namespace {

fault failure_of(std::string_view text) {
  auto result = parse_object(text);
  REQUIRE_FALSE(result);
  return to_fault(result.error());
}

std::string nested(size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

} // namespace

TEST_CASE("parse_object gives the object", "[json_text]") {
  auto result = parse_object(R"( {"a": [1, "x"]} )");
  REQUIRE(result);
  CHECK(dump_json(*result) == R"({"a":[1,"x"]})");
}

TEST_CASE("parse_object refuses what is no object", "[json_text]") {
  CHECK(failure_of("[1]").message == "expected a JSON object, got array");
  CHECK(failure_of("7").message == "expected a JSON object, got number");
  CHECK(failure_of("{\"a\":").kind == errc::protocol);
  CHECK(failure_of("{} {}").message.find("not valid JSON") == 0);
  CHECK(failure_of("").message.find("not valid JSON") == 0);
  CHECK(failure_of("{\"a\":1e999}").message.find("number")
        != std::string::npos);
}

TEST_CASE("parse_json refuses ill-formed UTF-8 with a message that is UTF-8",
          "[json_text]") {
  auto why = failure_of("{\"a\":\"\xff\"}");
  CHECK(why.kind == errc::protocol);
  CHECK(sanitize_utf8(why.message) == why.message);
}

TEST_CASE("parse_json bounds the nesting before a value is made",
          "[json_text]") {
  CHECK(parse_json(nested(max_json_depth)));
  auto result = parse_json(nested(max_json_depth + 1));
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).message.find("deeper than 200")
        != std::string::npos);
  CHECK_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST_CASE("parse_json does not count brackets within strings", "[json_text]") {
  auto text = "\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{')
              + "\"";
  CHECK(parse_json(text));
}

TEST_CASE("dump_json replaces ill-formed UTF-8", "[json_text]") {
  CHECK(dump_json(json{{"a", "x\xffy"}}) == "{\"a\":\"x\xEF\xBF\xBDy\"}");
}

TEST_CASE("is_deeper_than counts levels without recursion", "[json_text]") {
  auto value = json(1);
  CHECK_FALSE(is_deeper_than(value, 0));
  for (auto i = 0; i < 3; ++i)
    value = json::array({std::move(value)});
  CHECK_FALSE(is_deeper_than(value, 3));
  CHECK(is_deeper_than(value, 2));
}

TEST_CASE("sanitize_utf8 replaces each ill-formed sequence once", "[utf8]") {
  auto mark = std::string{"\xEF\xBF\xBD"};
  CHECK(sanitize_utf8("grüße €😀") == "grüße €😀");
  CHECK(sanitize_utf8("\xC3") == mark);
  CHECK(sanitize_utf8("a\x80z") == "a" + mark + "z");
  CHECK(sanitize_utf8("\xE2\x82z") == mark + "z");
  CHECK(sanitize_utf8("\xC0\xAF") == mark + mark);
  CHECK(sanitize_utf8("\xED\xA0\x80") == mark + mark + mark);
  CHECK(sanitize_utf8("\xF4\x90\x80\x80") == mark + mark + mark + mark);
}

TEST_CASE("code points are counted and found, ill-formed bytes too", "[utf8]") {
  CHECK(count_code_points("a€😀") == 3);
  CHECK(count_code_points("a\xff\xff") == 3);
  CHECK(code_point_offset("a€😀", 2) == 4);
  CHECK(code_point_offset("a€😀", 9) == 8);
  CHECK(excerpt("abc", 3) == "abc");
  CHECK(excerpt("a€😀", 2) == "a€…");
}
