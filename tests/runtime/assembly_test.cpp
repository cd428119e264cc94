#include "support/catch.hpp"

#include "troupe/runtime/assembly/graph_check.hpp"
#include "troupe/runtime/assembly/graph_plan.hpp"
#include "troupe/runtime/assembly/mermaid.hpp"
#include "troupe/runtime/assembly/output_condition.hpp"
#include "troupe/runtime/assembly/participant_text.hpp"
#include "troupe/runtime/assembly/step_check.hpp"

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
  x.edges[1].when->equals.reset();
  x.edges[1].when->contains = "x";
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
    auto ways = std::vector<graph_route::target>{};
    for (const auto* node : {"b", "c"})
      ways.push_back(plan->after(node, record_of({}))->targets.front());
    CHECK(plan->join("z", ways)->input == "both");
  }
}

TEST_CASE("errors have edges of their own", "[assembly]") {
  auto x = graph_of({"a", "b", "z"});
  x.edges = {edge({"a"}, "z"), edge({"a"}, "b"), edge({"b"}, "z")};
  x.edges[1].on_error = texts{"provider", "tool"};
  auto plan = graph_plan::make(x);
  REQUIRE(plan);
  CHECK(targets_of(plan->after("a", record_of({{"a", ""}}))) == texts{"z"});
  for (auto kind : {errc::rate_limit, errc::cassette, errc::tool})
    CHECK((*plan->after_error("a", kind))->node == "b");
  CHECK_FALSE(*plan->after_error("a", errc::limit));
  CHECK_FALSE(*plan->after_error("b", errc::tool));
  SECTION("of which one may match") {
    x.edges.push_back(edge({"a"}, "z"));
    x.edges.back().on_error = texts{"auth"};
    plan = graph_plan::make(x);
    REQUIRE(plan);
    CHECK(*plan->after_error("a", errc::network));
    auto both = plan->after_error("a", errc::auth);
    REQUIRE_FALSE(both);
    CHECK(to_fault(both.error()).kind == errc::routing);
  }
  SECTION("each kind in one of them, and some kind in each") {
    x.edges.push_back(edge({"a"}, "z"));
    x.edges.back().on_error = texts{"tool"};
    x.edges.push_back(edge({"b"}, "z"));
    x.edges.back().on_error = texts{};
    CHECK(faults_of(x)
          == texts{"edges[4].on_error: names no kind of error",
                   "edges[3].on_error: \"tool\" of \"a\" is that of edges[1], "
                   "too"});
  }
  SECTION("beside one for its success") {
    x.edges.erase(x.edges.begin());
    CHECK(faults_of(x)
          == texts{"nodes.a: has edges for errors only: nothing comes after "
                   "its answer"});
  }
}

TEST_CASE("a node does not ask the same twice", "[assembly]") {
  auto x = graph_of({"a", "b", "z"});
  x.edges = {when_equal("a", "b", "1"), when_equal("a", "z", "1"),
             edge({"b"}, "z")};
  CHECK(faults_of(x)
        == texts{"edges[1].when: asks the same as edges[0]: both would "
                 "match"});
}

TEST_CASE("what an edge or a template asks about must have ended",
          "[assembly]") {
  // a leads to b and c at once, which meet at m, before z.
  auto x = graph_of({"a", "b", "c", "m", "z"});
  x.edges = {edge({"a"}, "b"), edge({"a"}, "c"), edge({"b"}, "m"),
             edge({"c"}, "m"), edge({"m"}, "z"), when_equal("b", "m", "1")};
  x.edges[2].input = "{{input}} {{results.c.output.x}} {{context.user}}";
  x.nodes["z"].input = "{{#results.b.error}}{{results.b.error}}"
                       "{{/results.b.error}}{{results.m.output}}";
  CHECK(faults_of(x).empty());
  SECTION("and not run beside it or later") {
    for (const auto* other : {"c", "m", "z"}) {
      x.edges.back().when->node = other;
      CHECK(says(faults_of(x),
                 std::string{"edges[5].when.node: the edge from \"b\" to "
                             "\"m\" asks about \""}
                   + other + "\", which cannot have ended by then"));
    }
    x.edges.back().when->node = "a";
    CHECK(faults_of(x).empty());
  }
  SECTION("in an input, too") {
    x.nodes["c"].input = "{{results.b.output}}";
    CHECK(faults_of(x)
          == texts{"nodes.c.input: it names \"results.b.output\": the node "
                   "\"b\" cannot have ended by then"});
  }
  SECTION("and be there") {
    x.nodes["z"].input = "{{nope}}{{#inptu}}x{{/inptu}}{{results.mm.output}}"
                         "{{results.m.outptu}}";
    CHECK(faults_of(x).size() == 4);
    CHECK(check_graph(x)[1].hint == "did you mean \"input\"?");
  }
  SECTION("unless a section has it") {
    x.nodes["z"].input = "{{#results.b.output}}{{.}}{{name}}"
                         "{{/results.b.output}}";
    CHECK(faults_of(x).empty());
  }
}

TEST_CASE("ways that come together say one input", "[assembly]") {
  auto x = graph_of({"a", "b", "c", "z"});
  x.edges = {edge({"a"}, "b"), edge({"a"}, "c"), edge({"b"}, "z"),
             edge({"c"}, "z")};
  x.edges[2].input = "one";
  CHECK(faults_of(x).empty());
  x.edges[3].input = "two";
  CHECK(faults_of(x)
        == texts{"edges[3].input: edges[2] and this edge come together at "
                 "\"z\" with different inputs"});
  SECTION("where it depends on conditions as well") {
    x.edges.push_back(when_equal("c", "z", "1"));
    auto plan = graph_plan::make(x);
    REQUIRE(plan);
    auto ways = [&](const std::string& said) {
      auto result = std::vector<graph_route::target>{};
      auto so_far = record_of({{"b", ""}, {"c", said}});
      for (const auto* node : {"b", "c"})
        result.push_back(plan->after(node, so_far)->targets.front());
      return result;
    };
    CHECK(plan->join("z", ways("1"))->input == "one");
    auto both = plan->join("z", ways("2"));
    REQUIRE_FALSE(both);
    CHECK(to_fault(both.error()).kind == errc::routing);
    CHECK(to_fault(both.error()).message.find("use a join")
          != std::string::npos);
  }
}

TEST_CASE("steps that run together have names of their own", "[assembly]") {
  auto one = [](std::string as, const std::string& input = "x") {
    auto result = invoke_step_settings{};
    result.participant.agent = "a";
    result.participant.input = input;
    result.as = std::move(as);
    return workflow_step_settings{result};
  };
  auto faults_of_steps = [](const workflow_file_settings& x) {
    auto result = texts{};
    for (const auto& fault : check_steps(x))
      result.push_back(fault.message);
    return result;
  };
  auto group = parallel_step_settings{};
  group.steps = {one("a"), one("b", "{{results.a.output}}")};
  auto branch = branch_step_settings{};
  branch.when = about("b");
  branch.when.contains = "x";
  branch.then_steps = {one("c")};
  branch.else_steps = {one("c", "{{results.b.output}}")};
  auto x = workflow_file_settings{};
  x.steps = {{group}, {branch}, one("d", "{{results.c.output}}")};
  CHECK(faults_of_steps(x)
        == texts{"steps[0].parallel[1].input: it names \"results.a.output\": "
                 "the step \"a\" cannot have ended by then"});
  group.steps = {one("a"), one("a")};
  x.steps = {{group}, one("a", "{{results.e.output}}")};
  CHECK(faults_of_steps(x)
        == texts{"steps[0].parallel[1].as: another step is \"a\", too: one of "
                 "them would lose its result",
                 "steps[1].input: it names \"results.e.output\": there is no "
                 "step \"e\"",
                 "steps[1].as: another step is \"a\", too: one of them would "
                 "lose its result"});
}

TEST_CASE("a template is reported once, with its place", "[assembly]") {
  auto x = graph_of({"a"});
  x.nodes["a"].input = "a\n {{#open}}";
  CHECK(faults_of(x)
        == texts{"nodes.a.input: the template is not valid: the section 'open' "
                 "is never closed, at 2:2 of it"});
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
