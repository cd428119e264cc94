#include "troupe/config/load_agent.hpp"

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/validate_settings.hpp"

using namespace troupe;

namespace {

using texts = std::vector<std::string>;

texts faults_of(const caf::error& why) {
  auto result = texts{};
  for (const auto& x : to_faults(why)) {
    CHECK(x.kind == errc::configuration);
    result.push_back(x.message + " (" + x.where + ')'
                     + (x.hint.empty() ? "" : " " + x.hint));
  }
  return result;
}

caf::expected<agent_settings> parse(std::string_view text) {
  return parse_agent(text, "a.yaml", {}, {{"WHO", "world"}});
}

texts faults_in(std::string_view text) {
  auto result = parse(text);
  return result ? texts{} : faults_of(result.error());
}

} // namespace

TEST_CASE("an agent file is read with all its keys", "[load_agent]") {
  auto x = parse(R"(agent: guide
description: Answers questions.
model: support
system_prompt: |
  Hello ${WHO}.
tools: [read_file, shell]
permissions: {mode: ask, allow: [read], ask_when: {write: ["p/**"]}}
sandbox: {provider: native, files: {root: read_write}, network: none}
workspace: {root: /w}
limits: {max_turns: 12}
result_schema:
  type: object
  properties: {n: {type: integer, minimum: 0}, on: {const: "1"}}
)");
  REQUIRE(x);
  CHECK(x->name == "guide");
  CHECK(x->model == "support");
  CHECK(x->system_prompt == "Hello world.\n");
  CHECK(x->tools == texts{"read_file", "shell"});
  CHECK(x->permissions->mode == permission_mode::ask);
  CHECK(x->sandbox->provider == "native");
  CHECK(x->workspace->root == "/w");
  CHECK(x->limits.max_turns == 12u);
  CHECK_FALSE(x->limits.deadline);
  CHECK(x->result_schema_json
        == R"({"type":"object","properties":{"n":{"type":"integer",)"
           R"("minimum":0},"on":{"const":"1"}}})");
}

TEST_CASE("sections that an agent file leaves out stay unset", "[load_agent]") {
  auto x = parse("agent: guide\n");
  REQUIRE(x);
  CHECK_FALSE(x->permissions);
  CHECK_FALSE(x->sandbox);
  CHECK_FALSE(x->workspace);
  CHECK(x->result_schema_json.empty());
  CHECK(x->tools.empty());
}

TEST_CASE("an agent has a name", "[load_agent]") {
  CHECK(faults_in("tools: []\n")
        == texts{"has none of the keys agent, graph, workflow and swarm "
                 "(a.yaml:1:1)"});
  CHECK(faults_in("agent: my guide\n")
        == texts{"agent: a name is made of letters, digits, _ and -, found "
                 "`my guide` (a.yaml:1:8)"});
  CHECK(faults_in("agent: ''\n").size() == 1);
  CHECK(faults_in("agent: ../x\n").size() == 1);
  CHECK(faults_in("").size() == 1);
}

TEST_CASE("errors of an agent file come at once", "[load_agent]") {
  CHECK(
    faults_in("agent: a\nmodle: x\ntools: [read_file, {assembly: g}, "
              "3]\nlimits: {max_turns: 0}\nsubagents: {r: {}}\n"
              "result_schema: [1]\n")
    == texts{
      "modle: unknown key; allowed are agent, description, model, "
      "system_prompt, system_template, tools, subagents, permissions, "
      "sandbox, workspace, limits, produces, result_schema, result_strategy "
      "(a.yaml:2:1) did "
      "you mean "
      "`model`?",
      "tools[1].name: missing (a.yaml:3:20)",
      "tools[2]: expected text, found a number or a truth value "
      "(a.yaml:3:35) put it in quotes",
      "subagents.r.agent: missing (a.yaml:5:16)",
      "result_schema: expected a mapping, found a list (a.yaml:6:16)",
      "limits.max_turns: must be at least 1 (a.yaml:4:21)"});
}

TEST_CASE("a schema keeps its types and refuses keys that are not text",
          "[load_agent]") {
  CHECK(faults_in("agent: a\nresult_schema: {properties: {1: {}}}\n")
        == texts{"result_schema.properties.1: a key must be text "
                 "(a.yaml:2:30) put it in quotes"});
}

TEST_CASE("a system template is read relative to the agent file",
          "[load_agent]") {
  auto dir = test::temp_dir{};
  auto file = dir.write("agents/a.yaml",
                        "agent: a\nsystem_template: prompts/s.mustache\n");
  dir.write("agents/prompts/s.mustache", "You are {{name}}, ${not} expanded.");
  auto x = load_agent_file(file, {});
  REQUIRE(x);
  CHECK(x->system_prompt == "You are {{name}}, ${not} expanded.");
  CHECK(x->system_template
        == (dir.path() / "agents/prompts/s.mustache").string());
  CHECK(x->source == file);
  CHECK(x->folder == (dir.path() / "agents").string());
}

TEST_CASE("a system template that cannot be read is named", "[load_agent]") {
  auto dir = test::temp_dir{};
  auto file = dir.write("a.yaml", "agent: a\nsystem_template: none.mustache\n");
  auto x = load_agent_file(file, {});
  REQUIRE_FALSE(x);
  CHECK(to_fault(x.error()).message.ends_with("none.mustache`: no such file"));
  CHECK(to_fault(x.error()).where == file + ":2:18");
  dir.write("none.mustache", "\xff");
  x = load_agent_file(file, {});
  REQUIRE_FALSE(x);
  CHECK(to_fault(x.error()).message.ends_with("not UTF-8 text"));
}

TEST_CASE("a prompt and a template exclude each other", "[load_agent]") {
  CHECK(faults_in("agent: a\nsystem_prompt: x\nsystem_template: y\n")
        == texts{"system_template: stands beside system_prompt (a.yaml:3:18) "
                 "keep one of the two"});
}

TEST_CASE("the model of an agent must be configured", "[load_agent]") {
  auto s = settings{};
  s.providers["primary"] = {};
  s.models["support"].target = "primary:gpt-5";
  auto agent = agent_settings{};
  agent.source = "a.yaml";
  agent.model = "support";
  CHECK_FALSE(validate(agent, s));
  agent.model = "primary:other";
  CHECK_FALSE(validate(agent, s));
  agent.model = "cassette:x.yaml";
  CHECK_FALSE(validate(agent, s));
  agent.model = "suport";
  CHECK(faults_of(validate(agent, s))
        == texts{"model: `suport` is neither a role of `models` nor a target "
                 "(a.yaml) did you mean `support`?"});
  agent.model.clear();
  CHECK(faults_of(validate(agent, s))
        == texts{"model: no model is named (a.yaml) set default_model, or the "
                 "model of the agent"});
}

TEST_CASE("a file says what it defines", "[load_agent]") {
  auto dir = test::temp_dir{};
  auto kind_of = [&](const std::string& text) {
    auto found = load_definition_file(dir.write("x.yaml", text), {});
    if (!found)
      return to_fault(found.error()).message;
    const auto* assembly = std::get_if<assembly_settings>(&(*found)->what);
    return assembly != nullptr ? assembly->kind() : std::string{"agent"};
  };
  CHECK(kind_of("agent: a\n") == "agent");
  CHECK(kind_of("graph: g\nnodes: {a: a}\nstart: a\nfinish: a\n") == "graph");
  CHECK(kind_of("workflow: w\nsteps: [{invoke: a}]\n") == "workflow");
  CHECK(kind_of("swarm: s\nmembers: {a: a}\nstart: a\n") == "swarm");
  CHECK(kind_of("nodes: {}\n")
        == "has none of the keys agent, graph, workflow and swarm");
  CHECK(kind_of("agent: a\ngraph: g\n")
        == "has more than one of the keys agent, graph, workflow and swarm");
}

TEST_CASE("a misspelt option of a participant is one fault", "[load_agent]") {
  auto dir = test::temp_dir{};
  dir.write("b.yaml", "agent: b\n");
  auto faults_with = [&](const std::string& participant) {
    auto file = dir.write("x.yaml", "graph: g\nnodes: {b: " + participant
                                      + "}\nstart: b\nfinish: b\n");
    auto found = load_definition_file(file, {});
    return found ? texts{} : faults_of(found.error());
  };
  for (const auto* who : {"b.yaml", "b"}) {
    auto wrong
      = faults_with("{agent: " + std::string{who} + ", histroy: true}");
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].starts_with("nodes.b.histroy: unknown key"));
    CHECK(wrong[0].ends_with("did you mean `history`?"));
  }
  auto wrong = faults_with("{agent: b, modle: x}");
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].ends_with("did you mean `model`?"));
  CHECK(faults_with("{agent: b, model: x, history: true}").empty());
}

TEST_CASE("an agent's file may name itself as a helper", "[load_agent]") {
  auto dir = test::temp_dir{};
  auto file = dir.write("r.yaml", "agent: r\nsubagents: {r: {agent: r.yaml}, "
                                  "other: other.yaml}\n");
  dir.write("other.yaml", "agent: other\nsubagents: {back: r.yaml}\n");
  auto found = load_definition_file(file, {});
  REQUIRE(found);
  const auto& r = std::get<agent_settings>((*found)->what);
  CHECK(r.subagents.at("r").participant.agent == file);
  const auto& other = std::get<agent_settings>(
    r.subagents.at("other").participant.definition->what);
  CHECK(other.subagents.at("back").participant.agent == file);
  SECTION("but none contains itself") {
    file = dir.write("w.yaml", "workflow: w\nsteps: [{invoke: {agent: x, "
                               "subagents: {w: w.yaml}}}]\n");
    found = load_definition_file(file, {});
    REQUIRE_FALSE(found);
    CHECK(to_fault(found.error()).message.ends_with("contains itself"));
  }
}

TEST_CASE("no schema is none", "[load_agent]") {
  auto x = parse("agent: a\nresult_schema: null\n");
  REQUIRE(x);
  CHECK(x->result_schema_json.empty());
}

TEST_CASE("the place of a key is found in its file", "[load_agent]") {
  auto dir = test::temp_dir{};
  auto file = dir.write("x.yaml", "a:\n  - b: {c: 1}\n  - 2\n");
  CHECK(place_in_file(file, "a[0].b.c") == file + ":2:12");
  CHECK(place_in_file(file, "a[1].nothing") == file + ":3:5");
  CHECK(place_in_file(file, "z.y") == file);
  CHECK(place_in_file(file, "a[7") == file + ":2:3");
}

TEST_CASE("a sandbox policy is a file of its own", "[load_agent]") {
  auto dir = test::temp_dir{};
  auto file = dir.write("p.yaml", "provider: native\nfiles: {root: read_only, "
                                  "source: read_write}\nnetwork: inherit\n"
                                  "workspace: {root: work}\n");
  auto x = load_sandbox_file(file, {});
  REQUIRE(x);
  CHECK(x->files.size() == 2);
  CHECK(x->network.mode == "inherit");
  CHECK(x->workspace->root == (dir.path() / "work").string());
  file = dir.write("p.yaml", "provder: native\nlimits: {wall: 0s}\n");
  x = load_sandbox_file(file, {});
  REQUIRE_FALSE(x);
  CHECK(to_faults(x.error()).size() == 2);
}
