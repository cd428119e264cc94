#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/actors/troupe.hpp"
#include "troupe/config/load_agent.hpp"
#include "troupe/runtime/run/run_json.hpp"

#include <nlohmann/json.hpp>

using namespace troupe;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

class stage {
public:
  explicit stage(
    const std::vector<std::pair<std::string, std::string>>& agents) {
    for (const auto& [name, exchanges] : agents) {
      folder_.write(name + ".model.yaml",
                    "cassette: 1\nexchanges:\n" + exchanges);
      folder_.write(name + ".yaml", "agent: " + name + "\nmodel: cassette:"
                                      + name + ".model.yaml\n");
    }
    options_.settings.storage.in_memory = true;
  }

  agent make_agent(const std::string& name) const {
    auto result = agent{name};
    result.model("cassette:" + folder_.path().string() + "/" + name
                 + ".model.yaml");
    return result;
  }

  runtime_options& options() {
    return options_;
  }

  runtime& host() {
    if (!host_)
      host_ = std::make_unique<runtime>(options_);
    return *host_;
  }

  /// The assembly that a file says.
  assembly read(const std::string& text) const {
    auto file = folder_.write("flow.yaml", text);
    auto loaded = load_definition_file(file, {});
    REQUIRE(loaded);
    return std::get<assembly_settings>((*loaded)->what);
  }

private:
  test::temp_dir folder_;
  runtime_options options_;
  std::unique_ptr<runtime> host_;
};

std::string says(const std::string& text) {
  return "  - reply: {text: '" + text + "'}\n";
}

run_request asking(const std::string& prompt) {
  auto result = run_request{};
  result.input = prompt;
  return result;
}

/// The object but for ids and times.
json lasting(const run_object& run) {
  auto result = json(run_json(run));
  for (const auto* key :
       {"run_id", "session_id", "created_at", "started_at", "ended_at"})
    result.erase(key);
  for (auto& step : result["steps"]) {
    step.erase("started_at");
    step.erase("ended_at");
  }
  result.erase("trajectory");
  return result;
}

std::vector<std::string> faults_of(runtime& host, const assembly& what) {
  auto result = std::vector<std::string>{};
  try {
    host.ask(what, asking("Q"));
  } catch (const co::failure& why) {
    for (const auto& one : to_faults(why.reason()))
      result.push_back(one.message);
  }
  return result;
}

} // namespace

TEST_CASE("a graph is the same from C++ and from a file", "[builder]") {
  auto x = stage{{{"triage", says("billing")},
                  {"ledger", says("l {{input}}")},
                  {"policy", says("p")},
                  {"respond", says("{{input}}!")}}};
  auto built = graph{"support"};
  built.node("triage", x.make_agent("triage"))
    .node("ledger", member{x.make_agent("ledger")}.input("Look: {{input}}"))
    .node("policy", member{x.make_agent("policy")}.timeout(30s))
    .node("respond", x.make_agent("respond"))
    .edge("triage", "ledger")
    .edge("triage", "policy")
    .join({"ledger", "policy"}, "respond",
          "{{results.ledger.output}} {{results.policy.output}}")
    .finish("respond");
  auto written = x.read(R"(
graph: support
nodes:
  triage: triage.yaml
  ledger: {agent: ledger.yaml, input: "Look: {{input}}"}
  policy: {agent: policy.yaml, timeout: 30s}
  respond: respond.yaml
start: triage
edges:
  - {from: triage, to: ledger}
  - {from: triage, to: policy}
  - {from: [ledger, policy], to: respond, input: "{{results.ledger.output}} {{results.policy.output}}"}
finish: respond
)");
  auto from_code = x.host().ask(built, asking("Q"));
  CHECK(from_code.response == "l Look: Q p!");
  CHECK(lasting(from_code) == lasting(x.host().ask(written, asking("Q"))));
}

TEST_CASE("a swarm and a list of steps are the same, too", "[builder]") {
  auto x
    = stage{{{"first", "  - reply: {tool_calls: [{name: handoff, arguments: "
                       "{to: second, message: money}}]}\n"},
             {"second", says("done {{input}}")}}};
  SECTION("a swarm") {
    auto built = swarm{"pair"};
    built.add("first", x.make_agent("first"))
      .add("second", x.make_agent("second"))
      .handoffs("first", {"second"});
    auto written = x.read("swarm: pair\n"
                          "members: {first: first.yaml, second: second.yaml}\n"
                          "start: first\nhandoffs: {first: [second]}\n");
    auto from_code = x.host().ask(built, asking("Q"));
    CHECK(from_code.status == run_status::completed);
    CHECK(lasting(from_code) == lasting(x.host().ask(written, asking("Q"))));
  }
  SECTION("steps, with branches that have agents of their own") {
    auto group = steps{};
    group.invoke("a", x.make_agent("second"))
      .invoke("b", x.make_agent("second"));
    auto yes = steps{};
    yes.invoke("answer",
               member{x.make_agent("second")}.input("{{results.a.output}}"));
    auto built = steps{"flow"};
    built.parallel(group, 2).branch(when("a").contains("done"), yes);
    auto written = x.read(R"(
workflow: flow
steps:
  - {parallel: [{invoke: second.yaml, as: a}, {invoke: second.yaml, as: b}], max_concurrency: 2}
  - when: {node: a, contains: done}
    then: [{invoke: second.yaml, as: answer, input: "{{results.a.output}}"}]
)");
    auto from_code = x.host().ask(built, asking("Q"));
    CHECK(from_code.response == "done done Q");
    CHECK(lasting(from_code) == lasting(x.host().ask(written, asking("Q"))));
  }
}

TEST_CASE("a run has the assembly as it was when it began", "[builder]") {
  auto x = stage{{{"slow", "  - reply: {text: one, delay: 200ms}\n"},
                  {"other", says("two")}}};
  auto flow = steps{"flow"};
  flow.invoke("slow", x.make_agent("slow"));
  auto run = x.host().start(flow, asking("Q"));
  flow.invoke("other", x.make_agent("other"));
  CHECK(run.wait().response == "one");
  CHECK(x.host().ask(flow, asking("Q")).response == "two");
}

TEST_CASE("assemblies nest in code, with agents that have tools", "[builder]") {
  auto x = stage{{{"calc", "  - reply: {tool_calls: [{name: now, arguments: "
                           "{}}]}\n"
                             + says("{{last_tool}}")},
                  {"last", says("{{input}}")}}};
  auto calc = x.make_agent("calc");
  auto spec = tool_spec{};
  spec.name = "now";
  spec.description = "The time.";
  calc.use(tool{spec, tool::function{[](tool_context, std::string) {
                  return std::string{"\"noon\""};
                }}});
  auto inner = steps{"inner"};
  inner.invoke("calc", calc);
  auto outer = graph{"outer"};
  outer.node("inner", inner)
    .node("last",
          member{x.make_agent("last")}.input("{{results.inner.output}}"))
    .edge("inner", "last")
    .finish("last");
  auto run = x.host().ask(outer, asking("Q"));
  CHECK(run.response == "noon");
  REQUIRE(run.steps.size() == 3);
  CHECK(run.steps[1].name == "inner/calc");
}

TEST_CASE("all faults of what was built come at once", "[builder]") {
  auto x = stage{{{"a", says("x")}}};
  auto wrong = graph{"wrong"};
  wrong.node("a", member{x.make_agent("a")}.retry(2, {}))
    .node("b", "nobody")
    .node("c", x.make_agent("a"))
    .edge("a", "b")
    .edge("a", "zzz")
    .finish("b")
    .max_concurrency(0);
  auto faults = faults_of(x.host(), wrong);
  CHECK(faults.size() >= 5);
  auto twice = steps{};
  twice.invoke("a", x.make_agent("a")).invoke("a", x.make_agent("a"));
  CHECK(faults_of(x.host(), steps{"both"}.parallel(twice, 2)).size() == 1);
  auto early = graph{"early"};
  early.node("a", member{x.make_agent("a")}.input("{{results.b.output}}"))
    .node("b", x.make_agent("a"))
    .edge("a", "b", when("b").equals("x"))
    .edge("a", "b")
    .on_error("a", "b", {})
    .finish("b");
  CHECK(faults_of(x.host(), early).size() == 3);
  auto a = x.make_agent("a");
  for (const auto* name : {"", "a/b", "a#2", "a\xff"})
    CHECK(faults_of(x.host(), steps{"named"}.invoke(name, a)).size() == 1);
  CHECK_THROWS_AS(graph{"g"}.node("a", a).node("a", a), co::failure);
  CHECK_THROWS_AS(swarm{"s"}.add("a", a).add("a", a), co::failure);
  auto words = graph{"words"};
  words.node("a", member{a}.retry(1, {"bogus"}))
    .node("b", a)
    .edge("a", "b")
    .on_error("a", "b", {"provder"})
    .finish("b")
    .deadline(-1s);
  CHECK(faults_of(x.host(), words).size() == 3);
  CHECK(
    faults_of(x.host(), steps{"s"}.invoke("a", agent{a}.max_turns(0))).size()
    == 1);
  CHECK(faults_of(x.host(), steps{"none"}).size() == 1);
  CHECK(faults_of(x.host(), swarm{"none"}).size() >= 1);
}

TEST_CASE("helpers are given in code, too", "[builder]") {
  auto x = stage{
    {{"lead", "  - reply: {tool_calls: [{name: subagent_spawn, arguments: "
              "{kind: research, task: t}}, {name: look, arguments: {input: "
              "i}}]}\n"
              "  - reply: {tool_calls: [{name: subagent_wait, arguments: "
              "{}}]}\n"
                + says("{{tool.look.output}} "
                       "{{tool.subagent_wait.results.0.output}}")},
     {"research", says("found {{input}}")}}};
  auto lead = x.make_agent("lead");
  auto flow = steps{"flow"};
  flow.invoke("research", x.make_agent("research"));
  lead.subagent("research", x.make_agent("research"), 2)
    .use("look", "Looks.", flow);
  x.options().agents = {lead};
  auto run = x.host().ask("lead", "Q");
  CHECK(run.response == "found i found t");
  CHECK(run.kind == "agent");
  CHECK(run.steps.size() == 4);
}

namespace {

co::task<std::string> ask_three(workflow_context flow, std::string input) {
  auto calls = std::vector<participant_call>{};
  for (auto i = 0; i < 3; ++i)
    calls.push_back({"echo", input + std::to_string(i)});
  auto all = co_await flow.parallel(std::move(calls), 2);
  auto text = all[0] + all[1] + all[2];
  auto patient = member{"echo"}.timeout(30s).retry(1, {"provider"});
  co_return co_await flow.answer(patient, text);
}

} // namespace

TEST_CASE("a workflow in code asks several and answers with one", "[builder]") {
  auto x = stage{{{"echo", says("<{{input}}>")}}};
  x.options().agents = {x.make_agent("echo")};
  x.options().workflows = {workflow{"flow", ask_three}};
  auto request = asking("q");
  request.agent = "flow";
  auto run = x.host().stream(request);
  auto text = std::string{};
  while (auto event = run.next())
    if (event->type == event_type::text_delta && !event->source)
      text += event->text;
  auto object = run.wait();
  CHECK(object.response == "<<q0><q1><q2>>");
  CHECK(text == object.response);
  CHECK(object.steps.size() == 4);
}

TEST_CASE("conditions and inputs are code, where they are to be", "[builder]") {
  auto x
    = stage{{{"a", says("7")}, {"b", says("{{input}}")}, {"c", says("c")}}};
  auto is_large = [](const assembly_record& so_far) {
    return std::stoi(so_far.outputs.at("a")) > 5;
  };
  auto quote = [](const assembly_record& so_far) {
    return "<" + so_far.task + ":" + so_far.outputs.at("a") + ">";
  };
  auto built = graph{"g"};
  built.node("a", x.make_agent("a"))
    .node("b", member{x.make_agent("b")}.input(quote))
    .node("c", x.make_agent("c"))
    .node("z", member{x.make_agent("b")}.input("{{results.b.output}}!"))
    .edge("a", "b", is_large)
    .edge("a", "c")
    .edge("b", "z")
    .edge("c", "z")
    .finish("z");
  CHECK(x.host().ask(built, asking("Q")).response == "<Q:7>!");
  auto unsure = graph{"unsure"};
  unsure.node("a", x.make_agent("a"))
    .node("b", x.make_agent("b"))
    .edge("a", "b", condition_settings{})
    .finish("b");
  CHECK_FALSE(faults_of(x.host(), unsure).empty());
}
