#include "troupe/runtime/json/json_schema.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

#include <nlohmann/json.hpp>

#include <thread>

using namespace troupe;
using nlohmann::json;

namespace {

json_schema compiled(const std::string& text) {
  auto result = json_schema::compile(text);
  if (!result)
    FAIL(render(to_fault(result.error())));
  return std::move(*result);
}

std::string check(const std::string& schema, const std::string& value) {
  return to_string(compiled(schema).check(json::parse(value)));
}

std::string refused(const std::string& schema) {
  auto result = json_schema::compile(schema);
  REQUIRE_FALSE(result);
  auto why = to_fault(result.error());
  CHECK(why.kind == errc::configuration);
  return why.message + " (" + why.where + ")";
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

std::string repeat(const std::string& text, size_t count) {
  auto result = std::string{};
  while (count-- > 0)
    result += text;
  return result;
}

constexpr auto read_file_schema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "where"},
    "limit": {"type": "integer", "minimum": 1},
    "mode": {"enum": ["text", "binary"]}
  },
  "required": ["path"],
  "additionalProperties": false
})";

} // namespace

TEST_CASE("a schema accepts what fits", "[json_schema]") {
  CHECK(check(read_file_schema, R"({"path":"a"})").empty());
  CHECK(
    check(read_file_schema, R"({"path":"a","limit":2,"mode":"text"})").empty());
  CHECK(check(read_file_schema, R"({"path":"a","limit":2.0})").empty());
  CHECK(check("{}", "[1]").empty());
  CHECK(check("true", "[1]").empty());
}

TEST_CASE("a violation says where and what", "[json_schema]") {
  CHECK(check(read_file_schema, R"({"path":5})")
        == "/path: expected string, got number");
  CHECK(check(read_file_schema, "[]") == "expected object, got array");
  CHECK(check(read_file_schema, R"({"limit":1})")
        == "missing required property 'path'");
  CHECK(check(read_file_schema, R"({"path":"a","mode":"hex"})")
        == R"(/mode: expected one of "text", "binary", got "hex")");
  CHECK(check(read_file_schema, R"({"path":"a","pth":1})")
        == "unexpected property 'pth' (allowed: limit, mode, path)");
  CHECK(check(read_file_schema, R"({"path":""})")
        == "/path: expected at least 1 characters, got 0");
  CHECK(check(read_file_schema, R"({"path":"a","limit":0})")
        == "/limit: expected number greater than or equal to 1");
  CHECK(check(read_file_schema, R"({"path":"a","limit":1.5})")
        == "/limit: expected integer, got 1.5");
}

TEST_CASE("a check reports all violations", "[json_schema]") {
  auto found = compiled(read_file_schema)
                 .check(json::parse(R"({"limit":"x","mode":1,"z":2})"));
  CHECK(found.size() == 4);
}

TEST_CASE("a pointer escapes names", "[json_schema]") {
  CHECK(check(R"({"properties":{"a/b~":{"items":{"type":"null"}}}})",
              R"({"a/b~":[null,1]})")
        == "/a~1b~0/1: expected null, got number");
}

TEST_CASE("the number of violations is bounded", "[json_schema]") {
  auto schema = compiled(R"({"items":{"type":"string"}})");
  auto value = json(std::vector<int>(100'000, 1));
  CHECK(schema.check(value).size() == 20);
}

TEST_CASE("keywords do what the drafts say", "[json_schema]") {
  CHECK(check(R"({"const":{"a":1}})", R"({"a":1.0})").empty());
  CHECK(check(R"({"const":1})", "2") == "expected 1, got 2");
  CHECK(contains(check(R"({"enum":[1,2],"const":1})", "2"), "expected 1"));
  CHECK(check(R"({"maxLength":2})", R"("€€")").empty());
  CHECK_FALSE(check(R"({"maxLength":2})", R"("a\u0000bc")").empty());
  CHECK(check(R"({"multipleOf":0.1})", "0.3").empty());
  CHECK(check(R"({"multipleOf":2})", "1e300").empty());
  CHECK(check(R"({"multipleOf":2})", "3") == "expected a multiple of 2");
  CHECK_FALSE(check(R"({"multipleOf":1})", "1.5").empty());
  CHECK(check(R"({"uniqueItems":true})", "[1,2,[1]]").empty());
  CHECK(contains(check(R"({"uniqueItems":true})", "[1,1.0]"), "duplicates"));
  CHECK(check(R"({"minimum":5,"exclusiveMinimum":true})", "5")
        == "expected number greater than 5");
  CHECK(check(R"({"exclusiveMaximum":5})", "5")
        == "expected number less than 5");
  CHECK(
    check(R"({"prefixItems":[{"type":"string"}],"items":false})", R"(["a",1])")
    == "/1: nothing is allowed here");
  CHECK(check(R"({"items":[{"type":"string"}]})", R"(["a",1])").empty());
  CHECK(check(R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})")
        == "missing dependency 'b'");
  CHECK(contains(check(R"({"not":{"type":"string"}})", R"("x")"), "'not'"));
  CHECK(contains(check(R"({"properties":{"a":false}})", R"({"a":1})"),
                 "/a: nothing is allowed here"));
  CHECK(contains(check(R"({"contains":{"type":"string"}})", "[1]"),
                 "expected an item"));
  CHECK_FALSE(
    check(R"({"propertyNames":{"pattern":"^a"}})", R"({"b":1})").empty());
  CHECK(check(R"({"if":{"required":["a"]},"then":{"required":["b"]}})",
              R"({"a":1})")
        == "missing required property 'b'");
}

TEST_CASE("alternatives say why each of them fails", "[json_schema]") {
  auto schema = R"({"anyOf":[{"type":"string"},{"type":"null"}]})";
  CHECK(check(schema, "null").empty());
  auto text = check(schema, "1");
  CHECK(contains(text, "expected string, got number"));
  CHECK(contains(text, "expected null, got number"));
  CHECK(contains(text, "matches none of the alternatives of anyOf"));
  CHECK(contains(check(R"({"oneOf":[true,true]})", "1"), "more than one"));
}

TEST_CASE("whole numbers beyond int64 keep their size", "[json_schema]") {
  CHECK(check(R"({"minimum":0})", "18446744073709551615").empty());
  CHECK_FALSE(check(R"({"const":-1})", "18446744073709551615").empty());
}

TEST_CASE("references work, also to the schema itself", "[json_schema]") {
  auto tree = R"({"$id":"https://example.com/tree","type":"object",
    "properties":{"next":{"$ref":"#"},"v":{"$ref":"#/$defs/value~1"}},
    "$defs":{"value/":{"type":"integer"}}})";
  CHECK(check(tree, R"({"next":{"next":{"v":1}}})").empty());
  CHECK(check(tree, R"({"next":{"next":{"v":"x"}}})")
        == "/next/next/v: expected integer, got string");
  CHECK(check(R"({"$ref":"#/$defs/a","maxLength":1,
                  "$defs":{"a":{"type":"string"}}})",
              R"("xy")")
        == "expected at most 1 characters, got 2");
}

TEST_CASE("property patterns are checked without std::regex", "[json_schema]") {
  auto schema = R"({"properties":{"id":{"type":"integer"}},
    "patternProperties":{"^x-":{"type":"string"}},
    "additionalProperties":false})";
  CHECK(check(schema, R"({"id":1,"x-a":"b"})").empty());
  CHECK(check(schema, R"({"x-a":1})") == "/x-a: expected string, got number");
  CHECK(check(schema, R"({"y":1})") == "unexpected property 'y'");
  auto rest = R"({"patternProperties":{"^x-":true},
    "additionalProperties":{"type":"object","patternProperties":
      {"n":{"type":"null"}}}})";
  CHECK(check(rest, R"({"x-a":1,"b":{"n":null}})").empty());
  CHECK(check(rest, R"({"b":{"n":1}})") == "/b/n: expected null, got number");
}

TEST_CASE("a pattern takes linear time and no stack", "[json_schema]") {
  auto schema = compiled(R"_({"type":"string","pattern":"^(a+)+$"})_");
  CHECK(schema.check(json(std::string(1'000'000, 'a'))).empty());
  auto found = schema.check(json(std::string(1'000'000, 'a') + "b"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "expected a text that matches the pattern ^(a+)+$");
}

TEST_CASE("a schema that is none is refused with its place", "[json_schema]") {
  CHECK(contains(refused("{"), "cannot be read"));
  CHECK(contains(refused("[]"), "must be a schema"));
  CHECK(contains(refused("12"), "must be a schema"));
  CHECK(contains(refused(R"({"type":12})"), "(#/type)"));
  CHECK(contains(refused(R"({"type":"strin"})"), "\"strin\""));
  CHECK(contains(refused(R"({"properties":{"a":{"type":[]}}})"),
                 "(#/properties/a/type)"));
  CHECK(contains(refused(R"({"pattern":"("})"), "pattern"));
  CHECK(contains(refused(R"_({"pattern":"(?=a)"})_"), "pattern"));
  CHECK(contains(refused(R"({"patternProperties":{"(":true}})"), "pattern"));
  CHECK(contains(refused(R"({"required":true})"), "(#/required)"));
  CHECK(contains(refused(R"({"multipleOf":0})"), "(#/multipleOf)"));
  CHECK(contains(refused(R"({"minLength":-1})"), "(#/minLength)"));
  CHECK(contains(refused(R"({"enum":[]})"), "(#/enum)"));
  CHECK(contains(refused(R"({"properties":[1]})"), "(#/properties)"));
  CHECK(contains(refused(R"({"anyOf":{}})"), "(#/anyOf)"));
  CHECK(contains(refused(R"({"items":3})"), "(#/items)"));
  CHECK(contains(refused(R"({"uniqueItems":1})"), "(#/uniqueItems)"));
  CHECK(contains(refused(R"({"dependencies":{"a":1}})"), "(#/dependencies/a)"));
}

TEST_CASE("a reference that leaves the schema is refused", "[json_schema]") {
  CHECK(contains(refused(R"({"$ref":"https://example.com/a.json"})"),
                 "JSON pointer into this schema"));
  CHECK(contains(refused(R"({"$ref":"file:///etc/passwd#/a"})"),
                 "JSON pointer into this schema"));
  CHECK(contains(refused(R"({"$ref":"other.json"})"), "(#/$ref)"));
  CHECK(contains(refused(R"({"$ref":"#anchor"})"), "(#/$ref)"));
  CHECK(contains(refused(R"({"$ref":"#/$defs/a"})"), "leads nowhere"));
  CHECK(contains(refused(R"({"$ref":"#/~5"})"), "not valid"));
  CHECK(contains(refused(R"({"$ref":1})"), "(#/$ref)"));
}

TEST_CASE("a schema that comes back to itself is refused", "[json_schema]") {
  CHECK(contains(refused(R"({"$ref":"#"})"), "without end"));
  CHECK(contains(refused(R"({"anyOf":[true,{"$ref":"#"}]})"), "without end"));
  CHECK(contains(refused(R"({"properties":{"a":
    {"not":{"$ref":"#/properties/a"}}}})"),
                 "without end"));
  CHECK(contains(refused(R"({"$ref":"#/$defs/a","$defs":
    {"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}})"),
                 "without end"));
  CHECK(contains(refused(R"({"dependentSchemas":{"a":{"$ref":"#"}}})"),
                 "without end"));
}

TEST_CASE("a schema that is too large is refused", "[json_schema]") {
  CHECK(contains(refused(repeat("{\"not\":", 100) + "{}" + repeat("}", 100)),
                 "too large"));
  CHECK(contains(refused(repeat("{\"not\":", 300) + "{}" + repeat("}", 300)),
                 "nested deeper"));
  CHECK(contains(refused("{\"allOf\":[" + repeat("true,", 30'000) + "true]}"),
                 "too large"));
  auto chain = json::object();
  for (auto i = 0; i < 1000; ++i)
    chain["d" + std::to_string(i)]
      = {{"items", {{"$ref", "#/$defs/d" + std::to_string(i + 1)}}}};
  chain["d1000"] = true;
  auto schema = json{{"$ref", "#/$defs/d0"}, {"$defs", chain}};
  CHECK(contains(refused(schema.dump()), "too deep"));
}

TEST_CASE("the deepest schema and value that are taken fit the stack",
          "[json_schema]") {
  auto chain = json::object();
  for (auto i = 0; i < 190; ++i)
    chain["d" + std::to_string(i)]
      = {{"items", {{"$ref", "#/$defs/d" + std::to_string(i + 1)}}}};
  chain["d190"] = {{"type", "array"}};
  auto schema = json{{"$ref", "#/$defs/d0"}, {"$defs", chain}};
  auto value = json::array();
  for (auto i = 0; i < 190; ++i)
    value = json::array({std::move(value)});
  CHECK(compiled(schema.dump()).check(value).empty());
}

TEST_CASE("a value that is nested too deeply is a violation", "[json_schema]") {
  auto schema = compiled(R"({"items":{"$ref":"#"}})");
  auto value = json(1);
  for (auto i = 0; i < 100'000; ++i) {
    auto outer = json::array();
    outer.push_back(std::move(value));
    value = std::move(outer);
  }
  CHECK(to_string(schema.check(value)) == "is nested too deeply");
}

// ThreadSanitizer keeps something of each counter that it ever saw, and
// millions are gone through here.
#ifndef __SANITIZE_THREAD__
TEST_CASE("a check that would take for ever stops", "[json_schema]") {
  auto schema = compiled(R"({"properties":{"a":{"$ref":"#"}},
    "allOf":[{"properties":{"a":{"$ref":"#"}}}]})");
  auto value = json::object();
  for (auto i = 0; i < 100; ++i)
    value = json{{"a", std::move(value)}};
  CHECK(to_string(schema.check(value)) == "it takes too long to check");
}
#endif

TEST_CASE("one schema may be checked by many threads", "[json_schema]") {
  auto schema = compiled(read_file_schema);
  auto wrong = std::vector<std::string>(4);
  auto threads = std::vector<std::thread>{};
  for (auto& result : wrong)
    threads.emplace_back([&schema, &result] {
      for (auto i = 0; i < 200; ++i)
        result = to_string(schema.check(json{{"path", i}}));
    });
  for (auto& thread : threads)
    thread.join();
  for (const auto& result : wrong)
    CHECK(result == "/path: expected string, got number");
}
