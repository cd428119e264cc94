#include "troupe/runtime/run/result_form.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

#include <nlohmann/json.hpp>

using namespace troupe;

namespace {

result_form form_of(const std::string& schema) {
  auto result = result_form::make(schema);
  REQUIRE(result);
  return std::move(*result);
}

result_form verdict() {
  return form_of(R"({"type": "object", "required": ["ok"],
    "properties": {"ok": {"type": "boolean"}, "why": {"type": "string"}},
    "additionalProperties": false})");
}

} // namespace

TEST_CASE("a result is all of an answer, in the order of its members",
          "[result]") {
  auto found = verdict().read_text(" {\"why\": \"x\",\n \"ok\": true}\n");
  CHECK(found.wrong.empty());
  CHECK(found.json == R"({"why":"x","ok":true})");
}

TEST_CASE("exactly one fence around a result is taken off", "[result]") {
  auto read = [](const std::string& text) { return verdict().read_text(text); };
  auto json = R"({"ok":true})";
  CHECK(read("```json\n{\"ok\": true}\n```").json == json);
  CHECK(read("\n```\n{\"ok\": true}\n```\n").json == json);
  CHECK_FALSE(read("```yaml\n{\"ok\": true}\n```").wrong.empty());
  CHECK_FALSE(read("Here: ```json\n{\"ok\": true}\n```").wrong.empty());
  CHECK_FALSE(read("```json\n{\"ok\": true}\n``` Done.").wrong.empty());
  CHECK_FALSE(read("```json\n```json\n{\"ok\": true}\n```\n```").wrong.empty());
  CHECK_FALSE(read("```json\n{\"ok\": true}").wrong.empty());
  CHECK_FALSE(read("```json\n```").wrong.empty());
  CHECK_FALSE(read("```").wrong.empty());
}

TEST_CASE("what is wrong with a result names the place", "[result]") {
  auto found = verdict().read_text(R"({"ok": "yes", "more": 1})");
  CHECK(found.json.empty());
  CHECK(found.wrong.find("/ok: ") != std::string::npos);
  CHECK(found.wrong.find("more") != std::string::npos);
  CHECK(verdict().read_text("").wrong == "it is empty");
  CHECK(verdict().read_text("I think so.").wrong.find("not valid JSON")
        != std::string::npos);
  auto deep = std::string(300, '[') + std::string(300, ']');
  CHECK(verdict().read_text(deep).wrong.find("nested deeper")
        != std::string::npos);
  CHECK(verdict().read_text("{\"\xff\": 1}").json.empty());
}

TEST_CASE("what is told of a wrong result has a bound", "[result]") {
  auto name = std::string(100'000, 'x');
  CHECK(verdict().read_text("{\"" + name + "\": 1}").wrong.size() < 9000);
}

TEST_CASE("of two members with one name the checked one is handed on",
          "[result]") {
  auto found = verdict().read_text(R"({"ok": "no boolean", "ok": true})");
  CHECK(found.json == R"({"ok":true})");
  CHECK(verdict().read_text(R"({"ok": true, "ok": "no"})").json.empty());
}

TEST_CASE("a result that is no object is wrapped for its tool", "[result]") {
  auto form = form_of(R"({"type": "array", "items": {"type": "integer"}})");
  auto parameters = nlohmann::json::parse(form.parameters());
  CHECK(parameters["type"] == "object");
  CHECK(parameters["required"] == nlohmann::json{"result"});
  CHECK(form.read_arguments(R"({"result": [1, 2]})").json == "[1,2]");
  CHECK(form.read_text("[1, 2]").json == "[1,2]");
  CHECK_FALSE(form.read_arguments(R"({"result": ["a"]})").wrong.empty());
  CHECK_FALSE(form.read_arguments(R"({"result": [], "x": 1})").wrong.empty());
  CHECK_FALSE(form.read_arguments("{}").wrong.empty());
  CHECK_FALSE(form.read_arguments("[1]").wrong.empty());
  CHECK(verdict().parameters() == verdict().schema());
}

TEST_CASE("references of a wrapped schema lead where they led", "[result]") {
  auto form = form_of(R"({"anyOf": [{"$ref": "#/$defs/leaf"},
      {"type": "array", "items": {"$ref": "#"}}],
    "$defs": {"leaf": {"const": {"$ref": "#/$defs/leaf"}}}})");
  auto schema = json_schema::compile(form.parameters());
  REQUIRE(schema);
  auto check = [&](const std::string& text) {
    return schema->check(nlohmann::json::parse(text)).empty();
  };
  CHECK(check(R"({"result": {"$ref": "#/$defs/leaf"}})")); // a value
  CHECK(check(R"({"result": [[{"$ref": "#/$defs/leaf"}], []]})"));
  CHECK_FALSE(check(R"({"result": 1})"));
  CHECK(form.read_arguments(R"({"result": [[]]})").json == "[[]]");
}

TEST_CASE("what is no schema makes no form", "[result]") {
  for (const auto* text : {"", "{", R"({"type": "nonsense"})",
                           R"({"$ref": "https://example.com/x"})"}) {
    auto form = result_form::make(text);
    REQUIRE_FALSE(form);
    CHECK(to_fault(form.error()).kind == errc::configuration);
  }
}
