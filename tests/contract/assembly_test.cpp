#include "support/catch.hpp"

#include "contract/agents_place.hpp"

#include <algorithm>
#include <set>

using namespace troupe;
using nlohmann::json;
using test::lines_of;
using test::participants_of;
using test::says;
using test::troupe_of;

namespace {

using names = std::vector<std::string>;

constexpr auto support_flow = R"(
graph: support_flow
nodes:
  triage: triage.yaml
  billing: {agent: billing.yaml, input: "Investigate: {{results.triage.output}}"}
  respond: respond.yaml
start: triage
edges:
  - {from: triage, to: billing, when: {node: triage, equals: billing}}
  - {from: triage, to: respond}
  - {from: billing, to: respond, on_error: [provider, timeout]}
  - {from: billing, to: respond}
finish: respond
)";

} // namespace

TEST_CASE("a graph takes the way that its conditions say", "[contract]") {
  auto x = troupe_of{{{"triage", says("billing")},
                      {"billing", says("{{input}}")},
                      {"respond", says("{{input}}")}}};
  x.write("flow.yaml", support_flow);
  auto run = x.run_json("flow.yaml", "Why?");
  CHECK(run["kind"] == "graph");
  CHECK(run["name"] == "support_flow");
  CHECK(run["status"] == "completed");
  CHECK(run["response"] == "Why?\n\nResult of billing:\nInvestigate: billing");
  CHECK(participants_of(run) == names{"triage", "billing", "respond"});
  CHECK(run["usage"]["model_requests"] == 3);
  SECTION("or the one that has none") {
    x.write("triage.model.yaml", "cassette: 1\nexchanges:\n" + says("other"));
    run = x.run_json("flow.yaml", "Why?");
    CHECK(participants_of(run) == names{"triage", "respond"});
    CHECK(run["response"] == "Why?\n\nResult of triage:\nother");
  }
  SECTION("or the one for errors") {
    x.write("billing.model.yaml",
            "cassette: 1\nexchanges:\n  - error: {kind: auth, status: 401}\n");
    run = x.run_json("flow.yaml", "Why?");
    CHECK(run["status"] == "completed");
    CHECK(participants_of(run) == names{"triage", "billing", "respond"});
    CHECK(run["steps"][1]["status"] == "failed");
    CHECK(run["response"].get<std::string>().find("billing failed: ")
          != std::string::npos);
  }
}

TEST_CASE("a parallel group of a graph runs at once and is waited for",
          "[contract]") {
  auto slow = [](const std::string& text) {
    return "  - reply: {text: " + text + ", delay: 200ms}\n";
  };
  auto x = troupe_of{{{"plan", says("p")},
                      {"ledger", slow("l")},
                      {"policy", slow("q")},
                      {"respond", says("{{input}}")}}};
  x.write("flow.yaml", R"(
graph: audit
nodes: {plan: plan.yaml, ledger: ledger.yaml, policy: policy.yaml, respond: respond.yaml}
start: plan
edges:
  - {from: plan, to: ledger}
  - {from: plan, to: policy}
  - {from: [ledger, policy], to: respond, input: "{{results.ledger.output}}{{results.policy.output}}"}
finish: respond
)");
  auto run = x.run_json("flow.yaml");
  CHECK(run["response"] == "lq");
  auto& steps = run["steps"];
  REQUIRE(steps.size() == 4);
  CHECK(steps[2]["started_at"] < steps[1]["ended_at"]);
  CHECK(steps[3]["started_at"] >= steps[1]["ended_at"]);
  CHECK(steps[3]["started_at"] >= steps[2]["ended_at"]);
}

TEST_CASE("two conditions that match are an error of routing", "[contract]") {
  auto x = troupe_of{{{"a", says("x")}, {"b", says("b")}, {"z", says("z")}}};
  x.write("flow.yaml", R"(
graph: g
nodes: {a: a.yaml, b: b.yaml, z: z.yaml}
start: a
edges:
  - {from: a, to: b, when: {node: a, contains: x}}
  - {from: a, to: z, when: {node: a, matches: "^x$"}}
  - {from: b, to: z}
finish: z
)");
  auto run = x.run_json("flow.yaml");
  CHECK(run["status"] == "failed");
  CHECK(run["error"]["kind"] == "routing");
}

TEST_CASE("a workflow in a file runs its steps in order", "[contract]") {
  auto x = troupe_of{{{"research", says("about billing")},
                      {"ledger", says("l")},
                      {"policy", says("p")},
                      {"answer", says("{{input}}")}}};
  x.write("flow.yaml", R"(
workflow: research_then_answer
steps:
  - {invoke: research.yaml, as: research}
  - {parallel: [{invoke: ledger.yaml, as: ledger}, {invoke: policy.yaml, as: policy}], max_concurrency: 2}
  - when: {node: research, contains: billing}
    then: [{invoke: answer.yaml, as: answer, input: "{{input}} {{results.ledger.output}}{{results.policy.output}}"}]
    else: [{invoke: answer.yaml, as: other}]
)");
  auto run = x.run_json("flow.yaml");
  CHECK(run["kind"] == "workflow");
  CHECK(run["response"] == "Q lp");
  CHECK(participants_of(run)
        == names{"research", "ledger", "policy", "answer"});
}

TEST_CASE("a member of a swarm hands over to those it may", "[contract]") {
  auto triage = std::string{R"(
  - expect: {tools: [handoff]}
    reply:
      tool_calls:
        - {name: handoff, arguments: {to: nobody}}
  - expect: {last_tool: {name: handoff, contains: nobody}}
    reply:
      tool_calls:
        - {name: handoff, arguments: {to: billing, message: "check the ledger"}}
        - {name: handoff, arguments: {to: billing, message: "again"}}
)"};
  auto x = troupe_of{{{"triage", triage}, {"billing", says("{{input}}")}}};
  x.write("swarm.yaml", R"(
swarm: problem_solver
members: {triage: triage.yaml, billing: billing.yaml}
start: triage
handoffs: {triage: [billing]}
)");
  auto run = x.run_json("swarm.yaml", "Why?");
  CHECK(run["kind"] == "swarm");
  CHECK(run["response"] == "Why?\n\nHanded over by triage:\ncheck the ledger");
  CHECK(participants_of(run) == names{"triage", "billing"});
  auto events = lines_of(x.run({"run", "swarm.yaml", "Why?", "--events"}).out);
  auto count = std::count_if(events.begin(), events.end(), [](const json& e) {
    return e["type"] == "handoff";
  });
  CHECK(count == 1);
}

TEST_CASE("a swarm that goes round and round is ended", "[contract]") {
  auto to = [](const std::string& name) {
    return "  - reply: {tool_calls: [{name: handoff, arguments: {to: " + name
           + "}}]}\n";
  };
  auto x = troupe_of{{{"a", to("b")}, {"b", to("a")}}};
  auto text = std::string{"swarm: s\nmembers: {a: a.yaml, b: b.yaml}\n"
                          "start: a\nhandoffs: {a: [b], b: [a]}\n"};
  SECTION("by its steps") {
    x.write("s.yaml", text + "max_steps: 3\n");
    auto run = x.run_json("s.yaml");
    CHECK(run["status"] == "failed");
    CHECK(run["error"]["kind"] == "limit");
    CHECK(run["steps"].size() == 3);
  }
  SECTION("by its handoffs") {
    x.write("s.yaml", text + "max_handoff_repeats: 1\n");
    auto run = x.run_json("s.yaml");
    CHECK(run["error"]["kind"] == "limit");
    CHECK(run["steps"].size() == 3);
  }
}

TEST_CASE("what participants do is in the stream of the whole", "[contract]") {
  auto x = troupe_of{{{"first", says("one")}, {"last", says("two")}}};
  x.write("inner.yaml", "workflow: inner\nsteps: [{invoke: first.yaml}]\n");
  x.write("outer.yaml", "workflow: outer\nsteps:\n  - {invoke: inner.yaml}\n"
                        "  - {invoke: last.yaml}\n");
  auto events = lines_of(x.run({"run", "outer.yaml", "Q", "--events"}).out);
  auto seen = std::set<std::string>{};
  auto text = std::string{};
  auto seq = 0;
  for (const auto& event : events) {
    if (!event["seq"].is_null())
      CHECK(event["seq"] == ++seq);
    if (event["type"] == "text_delta")
      text += event["data"]["text"].get<std::string>();
    if (event["type"] == "agent_stream")
      seen.insert(event["data"]["source"].dump());
  }
  CHECK(text == "two");
  CHECK(
    seen
    == std::set<std::string>{
      R"({"agent":["first"],"assembly":["outer","inner"],"operation":"inner/first"})",
      R"({"agent":["last"],"assembly":["outer"],"operation":"last"})"});
  // Stored as they were seen.
  auto id = events.front()["run_id"].get<std::string>();
  auto stored = lines_of(x.run({"runs", "logs", id, "--json"}).out);
  std::erase_if(events, [](const json& e) { return e["seq"].is_null(); });
  CHECK(stored == events);
  CHECK(x.run({"run", "outer.yaml", "Q"}).out == "two\n");
}

TEST_CASE("a participant has its own time and tries", "[contract]") {
  auto x = troupe_of{{{"slow", "  - reply: {text: late, delay: 20s}\n"},
                      {"flaky", "  - error: {kind: network}\n"},
                      {"z", says("z")}}};
  SECTION("and fails when the time is over") {
    x.write("f.yaml", R"(
graph: g
nodes: {slow: {agent: slow.yaml, timeout: 100ms}, z: z.yaml}
start: slow
edges: [{from: slow, to: z}, {from: slow, to: z, on_error: [timeout]}]
finish: z
)");
    auto run = x.run_json("f.yaml");
    CHECK(run["status"] == "completed");
    CHECK(run["steps"][0]["status"] == "partial");
    CHECK(run["response"] == "z");
  }
  SECTION("and is a step with each try") {
    x.write("f.yaml", "workflow: w\nsteps:\n  - {invoke: flaky.yaml, retries: "
                      "2, retry_on: [provider]}\n");
    auto run = x.run_json("f.yaml");
    CHECK(run["status"] == "failed");
    CHECK(participants_of(run) == names{"flaky", "flaky", "flaky"});
    CHECK(run["steps"][2]["name"] == "flaky#3");
  }
}

TEST_CASE("an assembly is shown as a chart", "[contract]") {
  auto x = troupe_of{
    {{"triage", says("x")}, {"billing", says("x")}, {"respond", says("x")}}};
  x.write("flow.yaml", support_flow);
  auto done = x.run({"graph", "flow.yaml"});
  CHECK(done.code == 0);
  CHECK(done.out.starts_with("flowchart TD\n"));
  CHECK(done.out.find("triage = billing") != std::string::npos);
  CHECK(x.run({"graph", "triage.yaml"}).code == 2);
}

TEST_CASE("an inline participant needs no file", "[contract]") {
  auto x = troupe_of{{{"a", says("{{input}}")}}};
  x.write("f.yaml", R"(
workflow: w
steps:
  - {invoke: {agent: one, model: "cassette:a.model.yaml", system_prompt: Be brief.}, input: "1 {{input}}"}
  - invoke: {workflow: inner, steps: [{invoke: {agent: two, model: "cassette:a.model.yaml"}}]}
)");
  auto run = x.run_json("f.yaml");
  CHECK(run["status"] == "completed");
  CHECK(run["response"] == "Q\n\nResult of one:\n1 Q");
  CHECK(participants_of(run) == names{"one", "inner", "two"});
}

TEST_CASE(
  "a run waits with the innermost of its participants, and goes on there",
  "[contract]") {
  auto x = troupe_of{{{"first", says("once")}, {"last", says("{{input}}")}}};
  x.write("writer.yaml", "agent: writer\nmodel: cassette:writer.model.yaml\n"
                         "tools: [write_file]\npermissions: {mode: approve}\n");
  x.write("writer.model.yaml", R"(
cassette: 1
exchanges:
  - reply: {tool_calls: [{name: write_file, arguments: {path: x.txt, content: hi}}]}
  - reply: {text: "wrote {{last_tool.bytes}}"}
)");
  x.write("outer.yaml", R"(
workflow: outer
steps:
  - {invoke: first.yaml}
  - {invoke: {workflow: inner, steps: [{invoke: writer.yaml}]}}
  - {invoke: last.yaml, input: "{{results.first.output}}, {{results.inner.output}}"}
)");
  auto done = x.run({"run", "outer.yaml", "Q", "--json"});
  CHECK(done.code == 4);
  auto run = json::parse(done.out);
  CHECK(run["suspension"]["approval"]["tool"] == "write_file");
  CHECK(participants_of(run) == names{"first", "inner", "writer"});
  auto id = run["run_id"].get<std::string>();
  done = x.run({"runs", "resume", id, "--approve", "--json"});
  CHECK(done.code == 0);
  run = json::parse(done.out);
  CHECK(run["response"] == "once, wrote 2");
  CHECK(run["usage"]["model_requests"] == 4);
  CHECK(participants_of(run) == names{"first", "inner", "writer", "last"});
}
