#include "troupe/runtime/prompt/template_text.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

#include <nlohmann/json.hpp>

using namespace troupe;
using nlohmann::json;

namespace {

std::string render(std::string_view text, const json& values) {
  auto result = render_template(text, values);
  if (!result)
    FAIL(troupe::render(to_fault(result.error())));
  return std::move(*result);
}

std::string refused(std::string_view text, const json& values = {}) {
  auto compiled = template_text::compile(text, "hello.mustache");
  if (!compiled)
    return troupe::render(to_fault(compiled.error()));
  auto result = compiled->render(values);
  REQUIRE_FALSE(result);
  return troupe::render(to_fault(result.error()));
}

} // namespace

TEST_CASE("a template fills in names without escaping", "[template_text]") {
  auto values = json{{"x", "<a> & \"b\""}};
  CHECK(render("{{x}}|{{{x}}}|{{& x }}|{{ x }}", values)
        == "<a> & \"b\"|<a> & \"b\"|<a> & \"b\"|<a> & \"b\"");
}

TEST_CASE("a template renders every kind of value", "[template_text]") {
  auto values = json{{"i", 12},      {"d", 0.5},      {"t", true},
                     {"n", nullptr}, {"l", {1, "a"}}, {"o", {{"k", "v"}}}};
  CHECK(render("{{i}} {{d}} {{t}} [{{n}}] {{l}} {{o}}", values)
        == "12 0.5 true [] [1,\"a\"] {\"k\":\"v\"}");
}

TEST_CASE("a dotted name walks into objects and arrays", "[template_text]") {
  auto values
    = json{{"last_tool", {{"total_lines", 7}, {"paths", {"a", "b"}}}}};
  CHECK(render("{{last_tool.total_lines}} {{last_tool.paths.1}}", values)
        == "7 b");
}

TEST_CASE("a value is never read as a template", "[template_text]") {
  auto values = json{{"x", "{{y}}{{#y}}"}, {"y", "no"}, {"l", {"{{y}}"}}};
  CHECK(render("{{x}} {{#l}}{{.}}{{/l}}", values) == "{{y}}{{#y}} {{y}}");
}

TEST_CASE("sections repeat, nest and look outwards", "[template_text]") {
  auto values = json{{"rows", {{{"v", 1}}, {{"v", 2}, {"name", "own"}}}},
                     {"name", "n"}};
  CHECK(render("{{#rows}}{{name}}{{v}};{{/rows}}", values) == "n1;own2;");
  CHECK(render("{{#rows}}{{#rows}}{{v}}{{/rows}};{{/rows}}", values)
        == "12;12;");
  CHECK(render("{{#o}}{{k}}{{/o}}", json{{"o", {{"k", "v"}}}}) == "v");
  CHECK(render("{{#l}}{{.}},{{/l}}", json{{"l", {1, "a", {2}}}}) == "1,a,[2],");
  CHECK(render("{{#l}}{{#.}}{{.}}{{/.}};{{/l}}", json{{"l", {{1, 2}, {3}}}})
        == "12;3;");
}

TEST_CASE("a name works as a section and as a variable at once",
          "[template_text]") {
  CHECK(render("{{#l}}<{{.}}>{{/l}} {{l}}", json{{"l", {1, 2}}})
        == "<1><2> [1,2]");
}

TEST_CASE("a section hides for what is missing, false or empty",
          "[template_text]") {
  auto values = json{{"f", false},         {"n", nullptr},        {"s", ""},
                     {"l", json::array()}, {"o", json::object()}, {"zero", 0}};
  for (auto name : {"f", "n", "s", "l", "missing", "o.missing"}) {
    auto text = std::string{name};
    CHECK(render("{{#" + text + "}}x{{/" + text + "}}", values).empty());
    CHECK(render("{{^" + text + "}}x{{/" + text + "}}", values) == "x");
  }
  CHECK(render("{{#o}}x{{/o}}{{#zero}}y{{/zero}}", values) == "xy");
}

TEST_CASE("lines that hold only a section tag vanish", "[template_text]") {
  CHECK(render("a\n{{#l}}\n- {{.}}\n{{/l}}\nb", json{{"l", {1, 2}}})
        == "a\n- 1\n- 2\nb");
}

TEST_CASE("comments and other delimiters work", "[template_text]") {
  CHECK(render("a{{! note }}b", json::object()) == "ab");
  CHECK(render("{{=<% %>=}}{{x}} <% x %> <%={{ }}=%>{{x}}", json{{"x", 1}})
        == "{{x}} 1 1");
}

TEST_CASE("a text without tags renders as itself", "[template_text]") {
  auto result = template_text::compile("a } b }} { c\r\n\r");
  REQUIRE(result);
  CHECK(result->is_literal());
  CHECK(*result->render(json::object()) == "a } b }} { c\r\n\r");
}

TEST_CASE("a missing name is an error that says it", "[template_text]") {
  CHECK(refused("{{last_tool.lines}}", json{{"last_tool", {{"n", 1}}}})
        == "configuration: the template cannot be filled in: it names "
           "'last_tool.lines', which does not exist (hello.mustache)");
  CHECK(refused("{{a}}", json::object()).find("'a'") != std::string::npos);
}

TEST_CASE("a missing member is nothing where that is asked for",
          "[template_text]") {
  auto values = json{{"result", {{"n", 1}}}, {"none", nullptr}};
  auto fill = [&](std::string_view text) {
    return render_template(text, values, missing_name::empty);
  };
  CHECK(*fill("<{{result.error}}{{result.a.b}}{{none.x}}>") == "<>");
  CHECK(*fill("{{#result}}{{result.error}}{{n}}{{/result}}") == "1");
  CHECK_FALSE(fill("{{reslt.n}}"));
  CHECK_FALSE(fill("{{reslt}}"));
  CHECK_FALSE(render_template("{{result.error}}", values));
}

TEST_CASE("a template that is none is refused with its place",
          "[template_text]") {
  CHECK(refused("a\n  {{x").find("never closed (hello.mustache:2:3)")
        != std::string::npos);
  CHECK(refused("{{").find(":1:1)") != std::string::npos);
  CHECK(refused("{{{x}}").find(":1:1)") != std::string::npos);
  CHECK(refused("{{}}").find("has no name") != std::string::npos);
  CHECK(refused("{{#}}{{/}}").find("has no name") != std::string::npos);
  CHECK(refused("{{#a}}").find("'a' is never closed") != std::string::npos);
  CHECK(refused("{{/a}}").find("closes no section") != std::string::npos);
  CHECK(refused("{{#a}}{{/b}}").find("'a' is open") != std::string::npos);
  CHECK(refused("{{{a}}b}}}").find("end of a tag") != std::string::npos);
  CHECK(refused("{{>a}}").find("partials") != std::string::npos);
  CHECK(refused("{{=x=}}").find("delimiters") != std::string::npos);
  CHECK(refused("{{=a b c=}}").find("delimiters") != std::string::npos);
}

TEST_CASE("a template is bounded in nesting and in what it makes",
          "[template_text]") {
  auto deep = std::string{};
  for (auto i = 0; i < 33; ++i)
    deep += "{{#a}}";
  CHECK(refused(deep).find("too deeply") != std::string::npos);

  auto list = json(std::vector<int>(1000, 1));
  auto nested = "{{#l}}{{#l}}{{#l}}{{/l}}{{/l}}{{/l}}";
  CHECK(refused(nested, json{{"l", list}}).find("too often")
        != std::string::npos);
  auto big = json{{"l", list}, {"x", std::string(10'000, 'x')}};
  CHECK(refused("{{#l}}{{x}}{{/l}}", big).find("4 MiB") != std::string::npos);
}
