#include "support/catch.hpp"

#include "troupe/runtime/assembly/graph_check.hpp"
#include "troupe/runtime/assembly/graph_plan.hpp"
#include "troupe/runtime/assembly/mermaid.hpp"
#include "troupe/runtime/assembly/output_condition.hpp"
#include "troupe/runtime/assembly/participant_text.hpp"

#include <algorithm>

using namespace troupe;

namespace {

using texts = std::vector<std::string>;

graph_settings graph_of(const texts& nodes) {
  auto result = graph_settings{};
  for (const auto& name : nodes)
    result.nodes[name].agent = name;
  result.start = nodes.front();
  result.finish = nodes.back();
  return result;
}

edge_settings edge(texts from, std::string to) {
  auto result = edge_settings{};
  result.from = std::move(from);
  result.to = std::move(to);
  return result;
}

edge_settings when_equal(const std::string& from, std::string to,
                         const std::string& json_text) {
  auto result = edge({from}, std::move(to));
  result.when.emplace();
  result.when->node = from;
  result.when->equals = json_text;
  return result;
}

texts faults_of(const graph_settings& x) {
  auto result = texts{};
  for (const auto& one : check_graph(x))
    result.push_back(one.message);
  return result;
}

bool says(const texts& all, const std::string& part) {
  return std::any_of(all.begin(), all.end(), [&](const auto& x) {
    return x.find(part) != std::string::npos;
  });
}

texts targets_of(const caf::expected<graph_route>& x) {
  REQUIRE(x);
  auto result = texts{};
  for (const auto& one : x->targets)
    result.push_back(one.node);
  return result;
}

condition_settings about(const std::string& node) {
  auto result = condition_settings{};
  result.node = node;
  return result;
}

assembly_record record_of(const participant_outputs& outputs) {
  auto result = assembly_record{};
  result.outputs = outputs;
  return result;
}

} // namespace

TEST_CASE("a condition looks at an output", "[assembly]") {
  auto outputs = participant_outputs{{"a", " billing\n"},
                                     {"b", R"({"kind": "refund", "n": 3})"}};
  auto holds = [&](const condition_settings& x) {
    auto condition = output_condition::make(x);
    REQUIRE(condition);
    return condition->holds(record_of(outputs));
  };
  auto x = about("a");
  x.equals = "\"billing\"";
  CHECK(holds(x));
  x.equals = "\"bill\"";
  CHECK_FALSE(holds(x));
  x = about("a");
  x.contains = "ill";
  CHECK(holds(x));
  x = about("a");
  x.matches = "^\\s*b.*g";
  CHECK(holds(x));
  x = about("b");
  x.pointer = "/kind";
  x.equals = "\"refund\"";
  CHECK(holds(x));
  x.pointer = "/n";
  x.equals = "3";
  CHECK(holds(x));
  x.pointer = "/missing/deeper";
  CHECK_FALSE(holds(x));
  x = about("nobody");
  x.contains = "";
  CHECK_FALSE(holds(x));
  x = about("a");
  x.matches = "(";
  CHECK_FALSE(output_condition::make(x));
  x.matches = "a";
  x.pointer = "~2";
  CHECK_FALSE(output_condition::make(x));
}

TEST_CASE("every fault of a graph is reported at once", "[assembly]") {
  auto x = graph_of({"a", "b", "c"});
  x.finish = "cc";
  x.edges = {edge({"a"}, "d"), edge({}, "b"), edge({"a", "a"}, "b")};
  x.edges.push_back(edge({"a"}, "b"));
  x.edges.back().input = "{{#open}}";
  x.edges.push_back(edge({"a"}, "c"));
  x.edges.back().when.emplace();
  x.edges.back().when->node = "z";
  x.edges.back().when->matches = "(";
  x.nodes["b"].input = "{{";
  auto found = faults_of(x);
  CHECK(says(found, "finish: there is no node \"cc\""));
  CHECK(says(found, "edges[0].to: there is no node \"d\""));
  CHECK(says(found, "edges[1].from: names no node"));
  CHECK(says(found, "edges[2].from: names a node twice"));
  CHECK(says(found, "edges[3].input: "));
  CHECK(says(found, "edges[4].when.node: there is no node \"z\""));
  CHECK(says(found, "edges[4].when: "));
  CHECK(says(found, "nodes.b.input: "));
}

TEST_CASE("a node that leads nowhere or is never reached is a fault",
          "[assembly]") {
  auto x = graph_of({"a", "dead", "lost", "z"});
  x.edges = {edge({"a"}, "z"), edge({"a"}, "dead"), edge({"lost"}, "z")};
  CHECK(faults_of(x)
        == texts{"nodes.dead: no edge leads from here to the finish",
                 "nodes.lost: no edge leads here from the start"});
}

TEST_CASE("an edge waits only for what runs at once", "[assembly]") {
  auto x = graph_of({"a", "b", "c", "z"});
  x.edges = {edge({"a"}, "b"), when_equal("b", "c", "1"), edge({"b"}, "z"),
             edge({"c"}, "z")};
  CHECK(faults_of(x).empty());
  x.edges = {when_equal("a", "b", "1"), edge({"a"}, "c"),
             edge({"b", "c"}, "z")};
  CHECK(
    says(faults_of(x), "edges[2]: waits for nodes that do not run at once"));
}

TEST_CASE("at most one condition may match, and there is one way besides",
          "[assembly]") {
  auto x = graph_of({"a", "b", "c", "z"});
  x.edges = {when_equal("a", "b", "\"x\""), when_equal("a", "c", "\"x\""),
             edge({"b"}, "z"), edge({"c"}, "z")};
  auto plan = graph_plan::make(x);
  REQUIRE(plan);
  auto both = plan->after("a", record_of({{"a", "x"}}));
  REQUIRE_FALSE(both);
  CHECK(to_fault(both.error()).kind == errc::routing);
  auto none = plan->after("a", record_of({{"a", "y"}}));
  REQUIRE_FALSE(none);
  CHECK(to_fault(none.error()).kind == errc::routing);
  x.edges.push_back(edge({"a"}, "z"));
  plan = graph_plan::make(x);
  REQUIRE(plan);
  CHECK(targets_of(plan->after("a", record_of({{"a", "y"}}))) == texts{"z"});
}

TEST_CASE("a parallel group comes together where all its ways meet",
          "[assembly]") {
  // a leads to b and c; c leads to d or e by condition; all meet at m.
  auto x = graph_of({"a", "b", "c", "d", "e", "m", "z"});
  x.edges = {edge({"a"}, "b"),          edge({"a"}, "c"), edge({"b"}, "m"),
             when_equal("c", "d", "1"), edge({"c"}, "e"), edge({"d"}, "m"),
             edge({"e"}, "m"),          edge({"m"}, "z")};
  auto plan = graph_plan::make(x);
  REQUIRE(plan);
  auto route = plan->after("a", record_of({{"a", ""}}));
  CHECK(targets_of(route) == texts{"b", "c"});
  CHECK(route->join == "m");
  SECTION("named by an edge from several") {
    x = graph_of({"a", "b", "c", "z"});
    x.edges = {edge({"a"}, "b"), edge({"a"}, "c"), edge({"b", "c"}, "z")};
    x.edges.back().input = "both";
    plan = graph_plan::make(x);
    REQUIRE(plan);
    CHECK(plan->after("a", record_of({{"a", ""}}))->join == "z");
    CHECK(plan->join("z", {"b", "c"}).input == "both");
  }
}

TEST_CASE("errors have edges of their own", "[assembly]") {
  auto x = graph_of({"a", "b", "z"});
  x.edges = {edge({"a"}, "z"), edge({"a"}, "b"), edge({"b"}, "z")};
  x.edges[1].on_error = {"provider", "tool"};
  auto plan = graph_plan::make(x);
  REQUIRE(plan);
  CHECK(targets_of(plan->after("a", record_of({{"a", ""}}))) == texts{"z"});
  for (auto kind : {errc::rate_limit, errc::cassette, errc::tool})
    CHECK(plan->after_error("a", kind)->node == "b");
  CHECK_FALSE(plan->after_error("a", errc::limit));
  CHECK_FALSE(plan->after_error("b", errc::tool));
}

TEST_CASE("the input of a participant is filled in or put together",
          "[assembly]") {
  auto so_far = assembly_record{};
  so_far.task = "{{task}}";
  so_far.context_json = R"({"user": "ann"})";
  so_far.outputs = {{"a", R"({"kind": "x"})"}, {"b", "{{input}} 42"}};
  so_far.errors = {{"c", "no model"}};
  so_far.order = {"a", "b", "c"};
  CHECK(*fill_input("{{input}}|{{results.a.output.kind}}|{{results.b.output}}|"
                    "{{results.c.error}}|{{context.user}}|{{results.d.output}}",
                    so_far)
        == "{{task}}|x|{{input}} 42|no model|ann|");
  CHECK_FALSE(fill_input("{{inptu}}", so_far));
  CHECK(default_input(so_far, {"b", "c"})
        == "{{task}}\n\nResult of b:\n{{input}} 42\n\nc failed: no model");
  CHECK(transcript(so_far).starts_with("Result of a:"));
}

TEST_CASE("a chart shows what users wrote as text", "[assembly]") {
  auto x = assembly_settings{};
  auto graph = graph_of({"a", "z"});
  auto way = when_equal("a", "z", "\"x\\\"] --> evil[\\n#\"");
  graph.edges = {way, edge({"a"}, "z")};
  x.what = graph;
  auto chart = to_mermaid(x);
  CHECK(chart.starts_with("flowchart TD\n"));
  CHECK(chart.find("\"] --> evil") == std::string::npos);
  CHECK(chart.find("#quot;] --#gt; evil[ #35;") != std::string::npos);
}
