#include "troupe/runtime/json/described.hpp"

#include "support/catch.hpp"

#include "troupe/runtime/json/json_schema.hpp"

using namespace troupe;

namespace {

enum class color { red, green };
BOOST_DESCRIBE_ENUM(color, red, green)

struct point {
  int32_t x = 0;
  int32_t y = 0;
};
BOOST_DESCRIBE_STRUCT(point, (), (x, y))

struct shape {
  std::string name;
  bool filled = false;
  uint8_t sides = 0;
  int64_t big = 0;
  double weight = 0;
  color paint = color::red;
  std::vector<point> corners;
  std::map<std::string, int64_t> tags;
  std::optional<std::string> note;
};
BOOST_DESCRIBE_STRUCT(shape, (),
                      (name, filled, sides, big, weight, paint, corners, tags,
                       note))

struct noted {
  std::string text;
  std::optional<uint32_t> max;
};
BOOST_DESCRIBE_STRUCT(noted, (), (text, max))

struct circle : point {
  double radius = 0;
};
BOOST_DESCRIBE_STRUCT(circle, (point), (radius))

struct nothing {};
BOOST_DESCRIBE_STRUCT(nothing, (), ())

constexpr auto shape_text
  = R"({"name":"n","filled":true,"sides":3,"big":-5,"weight":0.5,)"
    R"("paint":"green","corners":[{"x":1,"y":-2}],"tags":{"a":1},"note":"x"})";

template <class T>
std::string refused(std::string_view text) {
  auto result = from_json_text<T>(text);
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).kind == errc::protocol);
  return to_fault(result.error()).message;
}

} // namespace

template <>
struct troupe::described_docs<noted> {
  static constexpr member_doc members[] = {{"text", "what to look for"}};
};

TEST_CASE("a described struct goes to JSON and back", "[described]") {
  auto x = from_json_text<shape>(shape_text);
  REQUIRE(x);
  CHECK(x->sides == 3);
  CHECK(x->paint == color::green);
  REQUIRE(x->corners.size() == 1);
  CHECK(x->corners[0].y == -2);
  CHECK(x->tags.at("a") == 1);
  CHECK(to_json_text(*x) == shape_text);
}

TEST_CASE("an optional member may be missing or null", "[described]") {
  auto missing = from_json_text<noted>(R"({"text":"a"})");
  REQUIRE(missing);
  CHECK_FALSE(missing->max);
  CHECK(to_json_text(*missing) == R"({"text":"a"})");
  auto null = from_json_text<noted>(R"({"text":"a","max":null})");
  REQUIRE(null);
  CHECK_FALSE(null->max);
}

TEST_CASE("the schema follows the members", "[described]") {
  CHECK(schema_of<noted>()
        == R"({"type":"object","properties":{"text":{"type":"string",)"
           R"("description":"what to look for"},"max":{"type":"integer",)"
           R"("minimum":0,"maximum":4294967295}},"required":["text"],)"
           R"("additionalProperties":false})");
  CHECK(schema_of<nothing>()
        == R"({"type":"object","properties":{},"required":[],)"
           R"("additionalProperties":false})");
  CHECK(schema_of<shape>().find(R"("enum":["red","green"])")
        != std::string::npos);
}

TEST_CASE("the schema accepts what the reader reads", "[described]") {
  auto schema = json_schema::compile(schema_of<shape>());
  REQUIRE(schema);
  CHECK(schema->check(nlohmann::json::parse(shape_text)).empty());
  CHECK_FALSE(schema->check(nlohmann::json::parse(R"({"name":"n"})")).empty());
}

TEST_CASE("members of a base come first", "[described]") {
  auto x = from_json_text<circle>(R"({"x":1,"y":2,"radius":3})");
  REQUIRE(x);
  CHECK(to_json_text(*x) == R"({"x":1,"y":2,"radius":3.0})");
}

TEST_CASE("a whole number may be written as one with a fraction of zero",
          "[described]") {
  auto x = from_json_text<point>(R"({"x":2.0,"y":-3e1})");
  REQUIRE(x);
  CHECK(x->x == 2);
  CHECK(x->y == -30);
}

TEST_CASE("what does not fit is refused with its place", "[described]") {
  CHECK(refused<point>("{").find("not valid JSON") == 0);
  CHECK(refused<point>("[]") == "expected an object, got []");
  CHECK(refused<point>(R"({"x":1})") == "missing required property 'y'");
  CHECK(refused<point>(R"({"x":1,"y":"2"})")
        == "/y: expected a whole number from -2147483648 to 2147483647, "
           "got \"2\"");
  CHECK(refused<point>(R"({"x":1,"y":2147483648})").find("/y: ") == 0);
  CHECK(refused<point>(R"({"x":1,"y":1.5})").find("/y: ") == 0);
  CHECK(refused<point>(R"({"x":1,"y":1e300})").find("/y: ") == 0);
  CHECK(refused<point>(R"({"x":1,"y":2,"z":3})")
        == "unexpected properties (allowed: x, y)");
  auto with = [](std::string from, std::string to) {
    auto text = std::string{shape_text};
    return refused<shape>(text.replace(text.find(from), from.size(), to));
  };
  CHECK(with("\"green\"", "\"blue\"")
        == "/paint: expected one of red, green, got \"blue\"");
  CHECK(with("\"y\":-2", "\"y\":[]").find("/corners/0/y: ") == 0);
  CHECK(with("{\"a\":1}", "{\"a\":{}}").find("/tags/a: ") == 0);
  CHECK(with("\"sides\":3", "\"sides\":-1").find("/sides: ") == 0);
  CHECK(with("true", "1") == "/filled: expected true or false, got 1");
}

TEST_CASE("writing replaces ill-formed UTF-8", "[described]") {
  CHECK(to_json_text(noted{"\xff", {}}) == "{\"text\":\"\xEF\xBF\xBD\"}");
}
