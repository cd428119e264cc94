#include "support/catch.hpp"

#include "contract/agents_place.hpp"

#include <algorithm>

using namespace troupe;
using namespace troupe::test;
using nlohmann::json;

namespace {

/// "FROM>TO" for each transition.
std::vector<std::string> ways_of(const json& run) {
  auto result = std::vector<std::string>{};
  for (const auto& one : run["trajectory"]["transitions"]) {
    CHECK(one["at"].is_string());
    auto from = one["from"].is_null() ? std::string{}
                                      : one["from"].get<std::string>();
    result.push_back(from + ">" + one["to"].get<std::string>());
  }
  return result;
}

using ways = std::vector<std::string>;

} // namespace

TEST_CASE("a run says how it came from step to step", "[contract]") {
  auto x = troupe_of{{{"plan", says("p")},
                      {"ledger", "  - error: {kind: auth, status: 401}\n"},
                      {"policy", says("q")},
                      {"respond", says("r")}}};
  x.write("flow.yaml", R"(
graph: audit
nodes:
  plan: plan.yaml
  ledger: {agent: ledger.yaml, retries: 1, retry_on: [auth]}
  check: {workflow: inner, steps: [{invoke: plan.yaml, as: one}, {invoke: policy.yaml, as: two}]}
  mend: policy.yaml
  respond: respond.yaml
start: plan
edges:
  - {from: plan, to: ledger}
  - {from: plan, to: check}
  - {from: ledger, to: mend, on_error: [provider]}
  - {from: ledger, to: respond}
  - {from: mend, to: respond}
  - {from: check, to: respond}
finish: respond
max_concurrency: 1
)");
  auto run = x.run_json("flow.yaml");
  REQUIRE(run["status"] == "completed");
  auto found = ways_of(run);
  std::sort(found.begin(), found.end());
  auto wanted = ways{">plan",        "plan>ledger",         "ledger>ledger#2",
                     "plan>check",   "check>check/one",     "ledger#2>mend",
                     "mend>respond", "check/one>check/two", "check>respond"};
  std::sort(wanted.begin(), wanted.end());
  CHECK(found == wanted);
  CHECK(run["trajectory"]["left_out"]
        == json{{"steps", 0}, {"transitions", 0}});
  CHECK(run["steps"][1]["error"] == "auth");
  auto id = run["run_id"].get<std::string>();
  CHECK(json::parse(x.run({"runs", "show", id, "--json"}).out)["trajectory"]
        == run["trajectory"]);

  auto shown = x.run({"runs", "show", id}).out;
  INFO(shown);
  auto has = [&](const std::string& text) {
    return shown.find(text) != std::string::npos;
  };
  CHECK(has("\nstatus: completed\n"));
  CHECK(has("\nsteps:\n  plan  completed  "));
  CHECK(has("\n  ledger  failed  "));
  CHECK(has("  auth  after plan\n"));
  CHECK(has("\n    two  completed  "));
  CHECK(has("after mend, check\n"));
  CHECK_FALSE(has("trajectory"));
}

TEST_CASE("a swarm is a chain of handoffs", "[contract]") {
  auto hands_over = [](const std::string& to) {
    return "  - reply: {tool_calls: [{name: handoff, arguments: {to: " + to
           + "}}]}\n";
  };
  auto x = troupe_of{
    {{"a", hands_over("b")}, {"b", hands_over("c")}, {"c", says("done")}}};
  x.write("swarm.yaml", "swarm: s\nmembers: {a: a.yaml, b: b.yaml, c: c.yaml}\n"
                        "start: a\nhandoffs: {a: [b], b: [c]}\n");
  CHECK(ways_of(x.run_json("swarm.yaml")) == ways{">a", "a>b", "b>c"});
}

TEST_CASE("an agent's run is one step without a way", "[contract]") {
  auto x = troupe_of{{{"a", "  - error: {kind: auth, status: 401}\n"}}};
  auto run = x.run_json("a.yaml");
  CHECK(ways_of(run).empty());
  CHECK(run["steps"].size() == 1);
  CHECK(run["steps"][0]["error"] == "auth");
  auto shown = x.run({"runs", "show", run["run_id"].get<std::string>()}).out;
  CHECK(shown.find("\nsteps:\n  a  failed  ") != std::string::npos);
}
