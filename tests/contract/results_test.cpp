#include "support/catch.hpp"

#include "contract/agents_place.hpp"

using namespace troupe;
using namespace troupe::test;
using nlohmann::json;

namespace {

constexpr auto schema = R"(
result_schema:
  type: object
  required: [topic]
  properties: {topic: {enum: [billing, other]}, score: {type: integer}}
)";

constexpr auto no_native = "model: {native_structured_output: false}\n";

/// An exchange that calls the tool for results.
std::string gives(const std::string& arguments) {
  return "  - reply: {tool_calls: [{name: final_result, arguments: " + arguments
         + "}]}\n";
}

std::string hands_over(const std::string& to) {
  return "  - reply: {tool_calls: [{name: handoff, arguments: {to: " + to
         + "}}]}\n";
}

} // namespace

TEST_CASE("the output of an agent with a schema is the checked object",
          "[contract]") {
  auto x = troupe_of{{}};
  SECTION("that the model answers with") {
    x.add("one", "exchanges:\n" + says(R"({"topic": "billing", "score": 3})"),
          schema);
  }
  SECTION("that it answers with in a fence") {
    x.add("one", R"(
exchanges:
  - reply: {text: "```json\n{\"topic\": \"billing\", \"score\": 3}\n```"}
)",
          schema);
  }
  SECTION("that it calls a tool with") {
    x.add("one",
          std::string{no_native} + "exchanges:\n"
            + gives("{topic: billing, score: 3}"),
          schema);
  }
  auto run = x.run_json("one.yaml");
  CHECK(run["status"] == "completed");
  CHECK(run["output"] == json{{"topic", "billing"}, {"score", 3}});
  CHECK(json::parse(run["response"].get<std::string>()) == run["output"]);
  auto id = run["run_id"].get<std::string>();
  auto stored = json::parse(x.run({"runs", "show", id, "--json"}).out);
  CHECK(stored["output"] == run["output"]);
  CHECK(lines_of(x.run({"runs", "logs", id, "--json"}).out)
          .back()["data"]["response"]
        == run["response"]);
}

TEST_CASE("a result that is given by a call is printed", "[contract]") {
  auto x = troupe_of{{}};
  x.add("one",
        std::string{no_native} + "exchanges:\n" + gives("{topic: other}"),
        schema);
  CHECK(x.run({"run", "one.yaml", "Q"}).out == "{\"topic\":\"other\"}\n");
}

TEST_CASE("a wrong result is mended once", "[contract]") {
  auto x = troupe_of{{}};
  auto wrong = says(R"({"topic": "weather"})");
  x.add("one", "exchanges:\n" + wrong + R"(
  - expect: {last_user: "/topic"}
    reply: {text: '{"topic": "other"}'}
)",
        schema);
  CHECK(x.run_json("one.yaml")["output"]["topic"] == "other");
  x.add("two", "exchanges:\n" + wrong + wrong + says(R"({"topic": "other"})"),
        schema);
  auto done = x.run({"run", "two.yaml", "Q", "--json"});
  CHECK(done.code == 1);
  auto run = json::parse(done.out);
  CHECK(run["error"]["kind"] == "structured_result");
  CHECK(run["output"].is_null());
  CHECK(run["usage"]["model_requests"] == 2);
}

TEST_CASE("a strategy that the model cannot follow is a fault of the "
          "configuration",
          "[contract]") {
  auto x = troupe_of{{}};
  auto strategy = std::string{schema} + "result_strategy: native\n";
  x.add("one", std::string{no_native} + "exchanges:\n" + says("{}"), strategy);
  auto run = x.run_json("one.yaml");
  CHECK(run["error"]["kind"] == "configuration");
  CHECK(run["usage"]["model_requests"] == 0);
}

TEST_CASE("a member of a swarm hands over without a result, and answers with "
          "one",
          "[contract]") {
  auto x = troupe_of{{}};
  auto is_native = GENERATE(true, false);
  auto model = std::string{is_native ? "" : no_native};
  auto answer = is_native ? says(R"({"topic": "billing"})")
                          : gives("{topic: billing}");
  x.add("first", model + "exchanges:\n" + hands_over("last"), schema);
  x.add("last", model + "exchanges:\n" + answer, schema);
  x.write("swarm.yaml", "swarm: s\nmembers: {first: first.yaml, last: "
                        "last.yaml}\nstart: first\nhandoffs: {first: [last], "
                        "last: [first]}\n");
  auto run = x.run_json("swarm.yaml");
  CHECK(run["status"] == "completed");
  CHECK(run["output"] == json{{"topic", "billing"}});
  CHECK(run["steps"].size() == 2);
}

TEST_CASE("a member that gives a result does not hand over with it",
          "[contract]") {
  auto x = troupe_of{{{"last", says("unused")}}};
  x.add("first",
        std::string{no_native} + "exchanges:\n" + gives("{topic: other}"),
        schema);
  x.write("swarm.yaml", "swarm: s\nmembers: {first: first.yaml, last: "
                        "last.yaml}\nstart: first\nhandoffs: {first: [last]}"
                        "\n");
  auto run = x.run_json("swarm.yaml");
  CHECK(run["output"] == json{{"topic", "other"}});
  CHECK(run["steps"].size() == 1);
}

TEST_CASE("a graph goes where a result points, and ends with one",
          "[contract]") {
  auto x = troupe_of{{{"respond", says("no")}}};
  x.add("triage",
        std::string{no_native} + "exchanges:\n" + gives("{topic: billing}"),
        schema);
  x.add("billing", "exchanges:\n" + says(R"({"topic":"other","score":7})"),
        schema);
  x.write("flow.yaml", R"(
graph: g
nodes:
  triage: triage.yaml
  billing: {agent: billing.yaml, input: "{{results.triage.output.topic}}"}
  respond: respond.yaml
  sum: {workflow: inner, steps: [{invoke: billing.yaml, as: b}]}
start: triage
edges:
  - {from: triage, to: billing, when: {node: triage, pointer: /topic, equals: billing}}
  - {from: triage, to: respond}
  - {from: billing, to: sum, when: {node: billing, pointer: /score, equals: 7}}
  - {from: billing, to: respond}
  - {from: respond, to: sum}
finish: sum
)");
  auto run = x.run_json("flow.yaml");
  CHECK(run["status"] == "completed");
  CHECK(run["output"] == json{{"topic", "other"}, {"score", 7}});
  CHECK(run["steps"].size() == 4);
}

TEST_CASE("an agent that others work for gives a result, and is given theirs",
          "[contract]") {
  auto x = troupe_of{{}};
  x.add("sorter",
        std::string{no_native} + "exchanges:\n" + gives("{topic: billing}"),
        schema);
  x.add("boss", R"(
exchanges:
  - reply: {tool_calls: [{name: sort_out, arguments: {input: Q}}]}
  - reply: {text: '{"topic": "{{last_tool.output.topic}}"}'}
)",
        std::string{schema}
          + "tools: [{assembly: sorter.yaml, name: sort_out, description: "
            "Sorts.}]\n");
  auto run = x.run_json("boss.yaml");
  CHECK(run["status"] == "completed");
  CHECK(run["kind"] == "agent");
  CHECK(run["output"] == json{{"topic", "billing"}});
}

TEST_CASE("a schema and tools that do not go together do not load",
          "[contract]") {
  auto x = troupe_of{{}};
  x.add("one", "exchanges:\n" + says("{}"),
        "result_schema: {type: object, required: 3}\n");
  auto done = x.run({"run", "one.yaml", "Q"});
  CHECK(done.code == 2);
  CHECK(done.err.find("result_schema") != std::string::npos);
}

TEST_CASE("a model that goes round in circles is told, and then ended",
          "[contract]") {
  auto x = troupe_of{{}};
  auto model = std::string{"exchanges:\n"};
  auto call = "  - reply: {tool_calls: [{name: write_todos, arguments: {todos: "
              "[]}}]}\n";
  for (auto i = 0; i < 3; ++i)
    model += call;
  x.add("told", model + "  - reply: {text: '{{input}}'}\n",
        "tools: [write_todos]\n");
  auto run = x.run_json("told.yaml");
  CHECK(run["status"] == "completed");
  CHECK(run["response"].get<std::string>().find("3 times")
        != std::string::npos);
  x.add("ended", model + call + call + call, "tools: [write_todos]\n");
  run = x.run_json("ended.yaml");
  CHECK(run["status"] == "failed");
  CHECK(run["error"]["kind"] == "limit");
  CHECK(run["usage"]["tool_calls"] == 5);
}
