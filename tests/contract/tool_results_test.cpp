#include "support/catch.hpp"

#include "contract/place.hpp"
#include <nlohmann/json.hpp>

using namespace troupe;
using nlohmann::json;
using test::place;

namespace {

/// A folder whose agent makes the calls in `calls`, a list in YAML's flow
/// form, all at once.
place calling(const std::string& calls, const std::string& more) {
  return place{"  - reply: {tool_calls: [" + calls
                 + "]}\n  - reply: {text: done}\n",
               more};
}

std::vector<json> results(const place& place,
                          std::vector<std::string> flags = {}) {
  auto arguments = std::vector<std::string>{"run", "guide.yaml", "hi",
                                            "--events"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  auto done = place.run(arguments);
  CHECK(done.code == 0);
  auto found = std::vector<json>{};
  for (const auto& event : test::lines_of(done.out))
    if (event["type"] == "tool_result")
      found.push_back(event["data"]["content"]);
  return found;
}

constexpr auto on_disk = "sandbox: {provider: unrestricted}\n";

} // namespace

TEST_CASE("a tool that the mode forbids is denied when it is called anyway",
          "[contract]") {
  auto here = calling("{name: write_file, arguments: {path: a, content: b}}, "
                      "{name: shell, arguments: {command: ls}}, "
                      "{name: fetch, arguments: {}}",
                      on_disk);
  auto found = results(here);
  REQUIRE(found.size() == 3);
  auto text = [&](size_t i) { return found[i]["error"].get<std::string>(); };
  CHECK(text(0).starts_with("permission denied: write"));
  CHECK(text(1).starts_with("permission denied: shell"));
  CHECK(text(2).starts_with("there is no tool \"fetch\""));
  CHECK(here.folder().read("a").empty());
}

TEST_CASE("a tool that the sandbox lacks says so", "[contract]") {
  auto found = results(calling("{name: shell, arguments: {command: ls}}",
                               "permissions: {mode: auto}\n"));
  REQUIRE(found.size() == 1);
  CHECK(found[0]["error"].get<std::string>().starts_with(
    "the tool \"shell\" is not available in this run"));
}

TEST_CASE("a long file comes in pages of whole lines", "[contract]") {
  auto here = calling("{name: read_file, arguments: {path: long.txt}}, "
                      "{name: read_file, arguments: {path: long.txt, offset: "
                      "49999}}, {name: read_file, arguments: {path: line.txt}}",
                      on_disk);
  auto text = std::string{};
  for (auto i = 1; i <= 50'000; ++i)
    text += "line " + std::to_string(i) + "\n";
  here.folder().write("long.txt", text);
  here.folder().write("line.txt", std::string(100'000, 'x'));
  auto found = results(here);
  REQUIRE(found.size() == 3);
  auto first = found[0]["content"].get<std::string>();
  CHECK(found[0]["truncated"] == true);
  CHECK(found[0]["total_lines"] == 50'000);
  CHECK(first.starts_with("line 1\n"));
  CHECK(first.ends_with("\n"));
  CHECK(first.size() <= 16'000);
  CHECK(found[1]["content"] == "line 49999\nline 50000\n");
  CHECK(found[1]["truncated"] == false);
  CHECK(found[2]["content"].get<std::string>().size() == 16'000);
  CHECK(found[2]["truncated"] == true);
}

TEST_CASE("a list that is too long to be shown is cut, and says so",
          "[contract]") {
  auto here = calling("{name: list_files, arguments: {path: many}}, "
                      "{name: grep, arguments: {pattern: x, max: 100000}}",
                      on_disk);
  auto name = std::string(120, 'n');
  for (auto i = 0; i < 2'000; ++i)
    here.folder().write("many/" + name + std::to_string(i), "");
  auto text = std::string{};
  for (auto i = 0; i < 20'000; ++i)
    text += "x\n";
  here.folder().write("x.txt", text);
  auto found = results(here);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["truncated"] == true);
  CHECK(found[0]["entries"].size() > 1'000);
  CHECK(found[1]["truncated"] == true);
  CHECK(found[1]["matches"].size() > 1'000);
}

TEST_CASE("a template shows nothing for what a result does not have",
          "[contract]") {
  auto reply = std::string{"{{last_tool.error}}{{last_tool.content}}"
                           "{{tool.grep.error}}"};
  place here{"  - reply: {text: \"" + reply
               + "\", tool_calls: [{name: read_file, arguments: {path: "
                 "notes.txt}}]}\n  - reply: {text: \""
               + reply + "\"}\n",
             on_disk};
  CHECK(here.run({"run", "guide.yaml", "hi"}).out == "one\ntwo\nthree\n");
}
