#include "support/catch.hpp"

#include "contract/place.hpp"
#include <nlohmann/json.hpp>

using namespace troupe;
using nlohmann::json;
using test::place;

namespace {

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

constexpr auto hello = "  - reply: {text: \"Hello {{input}}\"}\n";

} // namespace

TEST_CASE("an agent that the configuration names is run by its name",
          "[contract]") {
  place place{hello};
  place.folder().write("agents/helper.yaml", "agent: written_otherwise\nmodel: "
                                             "cassette:../model.yaml\n");
  place.folder().write("troupe.yaml",
                       "version: 1\nagents: {helper: agents/helper.yaml}\n");
  auto done = place.run({"run", "helper", "Ann", "--json"});
  CHECK(done.code == 0);
  auto run = json::parse(done.out);
  CHECK(run["name"] == "helper");
  CHECK(run["response"] == "Hello Ann");
  CHECK(place.run({"chat", "helper"}, "Bob\n").out == "Hello Bob\n");
  auto unknown = place.run({"run", "helpr", "Ann"});
  CHECK(unknown.code == 2);
  CHECK(contains(unknown.err, "helpr"));
}

TEST_CASE("an agent's files lie beside it, or where the program works",
          "[contract]") {
  place place{hello};
  place.folder().write("agents/far.yaml",
                       "agent: far\nmodel: cassette:model.yaml\n"
                       "system_template: prompts/far.mustache\n");
  auto missing = place.run({"run", "agents/far.yaml", "Ann"});
  CHECK(missing.code == 2);
  CHECK(contains(missing.err, "agents/far.yaml:3:18"));
  place.folder().write("prompts/far.mustache", "Be kind.");
  CHECK(place.run({"run", "agents/far.yaml", "Ann"}).out == "Hello Ann\n");
  place.folder().write("agents/model.yaml",
                       "cassette: 1\nexchanges: [{reply: {text: near}}]\n");
  CHECK(place.run({"run", "agents/far.yaml", "Ann"}).out == "near\n");
}

TEST_CASE("all errors of all agents come at once, each with its place",
          "[contract]") {
  place place{"  - reply: {txt: a, chunk: 0}\n  - {reply: {}, error: {}}\n"};
  place.folder().write("bad.yaml", "agent: bad\nmodel: nowhere\n"
                                   "tools: [grep, read_fil, nothing]\n"
                                   "result_schema: {type: nonsense}\n");
  place.folder().write("troupe.yaml",
                       "agents: {a: none.yaml, b: bad.yaml, c: guide.yaml}\n");
  auto done = place.run({"config", "check"});
  CHECK(done.code == 2);
  for (const auto* piece :
       {"agents.a: no such file", "model: `nowhere`", "bad.yaml:2:8",
        "tools[1]: there is no tool \"read_fil\"", "bad.yaml:3:15",
        "hint: did you mean \"read_file\"?", "tools[2]: there is no tool",
        "bad.yaml:3:25", "result_schema: ", "exchanges[0].reply.txt: unknown",
        "exchanges[0].reply.chunk: ", "either a reply or an error"}) {
    CAPTURE(piece);
    CHECK(contains(done.err, piece));
  }
}

TEST_CASE("config check FILE is about that file and no other", "[contract]") {
  place place{hello};
  place.folder().write("troupe.yaml", "limits: {max_turn: 3}\n");
  place.folder().write("good.yaml", "limits: {max_turns: 3}\n");
  CHECK(place.run({"config", "check"}).code == 2);
  CHECK(place.run({"config", "check", "good.yaml"}).code == 0);
  CHECK(place.run({"config", "check", "troupe.yaml"}).code == 2);
}

TEST_CASE("a flag goes before every file", "[contract]") {
  place place{R"(
  - reply: {tool_calls: [{name: grep, arguments: {pattern: one}}]}
  - reply: {text: done}
)"};
  place.folder().write("troupe.yaml", "limits: {max_turns: 9}\n");
  auto shown = place.run({"config", "show", "--set", "limits.max_turns=4"});
  CHECK(contains(shown.out, "max_turns: 4 "));
  auto limited
    = place.run({"run", "guide.yaml", "hi", "--set", "limits.max_turns=1"});
  CHECK(limited.code == 1);
  CHECK(contains(limited.err, "troupe: limit: "));
  auto wrong
    = place.run({"run", "guide.yaml", "hi", "--set", "limits.max_turn=1"});
  CHECK(wrong.code == 2);
  CHECK(contains(wrong.err, "did you mean `max_turns`?"));
}

TEST_CASE("what a run is told to use and cannot have is a usage error",
          "[contract]") {
  place place{hello};
  for (const auto& flags : std::vector<std::vector<std::string>>{
         {"--model", "nowhere"},
         {"--model", "nowhere:gpt"},
         {"--model", "cassette:none.yaml"},
         {"--workspace", "/nonexistent"},
         {"--record", "/nonexistent/tape.yaml"},
         {"--record", "."},
         {"--deadline", "0s"},
         {"--permission", "all"}}) {
    CAPTURE(flags[0], flags[1]);
    auto arguments = std::vector<std::string>{"run", "guide.yaml", "hi"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    place.folder().write("guide.yaml", "agent: guide\nmodel: "
                                       "cassette:model.yaml\ntools: [grep]\n"
                                       "sandbox: {provider: unrestricted}\n");
    auto done = place.run(arguments);
    CHECK(done.code == 2);
    CHECK(done.err.starts_with("troupe: configuration: "));
    CHECK(json::parse(place.run({"sessions", "list", "--json"}).out).empty());
  }
}

TEST_CASE("a conversation that could never get an answer ends at once",
          "[contract]") {
  place place{hello};
  auto done = place.run({"chat", "guide.yaml", "--model", "nowhere"},
                        "one\ntwo\n");
  CHECK(done.code == 2);
  CHECK(done.err.find("nowhere") == done.err.rfind("nowhere"));
}

TEST_CASE("an error is one line and does nothing to the terminal",
          "[contract]") {
  place place{"  - error: {kind: auth, message: \"a\\nb\\e[31mc\"}\n"};
  auto done = place.run({"run", "guide.yaml", "hi"});
  CHECK(done.err == "troupe: auth: a b[31mc\n");
}
