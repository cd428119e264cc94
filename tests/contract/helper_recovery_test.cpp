#include "support/catch.hpp"

#include "contract/killer.hpp"

using namespace troupe;
using namespace troupe::test;
using nlohmann::json;

namespace {

std::string appends(const std::string& who, int count) {
  auto result = std::string{};
  for (auto i = 0; i < count; ++i)
    result += "  - reply: {tool_calls: [{name: shell, arguments: {command: "
              "\"echo "
              + who + std::to_string(i) + " >> log\"}}]}\n";
  return result;
}

/// An agent that has two others and an assembly work for it.
void write_agents(const place& where) {
  const auto& folder = where.folder();
  auto agent = [&](const std::string& name, const std::string& exchanges,
                   const std::string& more) {
    folder.write(name + ".yaml", "agent: " + name + "\nmodel: cassette:" + name
                                   + ".model.yaml\npermissions: {mode: auto}\n"
                                   + more);
    folder.write(name + ".model.yaml", "cassette: 1\nexchanges:\n" + exchanges);
  };
  auto tools = std::string{"tools: [shell]\nsandbox: {provider: "
                           "unrestricted}\n"};
  agent("lead",
        "  - reply: {tool_calls: [{name: subagent_spawn, arguments: {kind: "
        "one, task: t}}, {name: subagent_spawn, arguments: {kind: two, task: "
        "t}}, {name: flow, arguments: {input: i}}]}\n"
        "  - reply: {tool_calls: [{name: subagent_wait, arguments: {}}]}\n"
        "  - reply: {tool_calls: [{name: subagent_message, arguments: {id: "
        "one-1, message: again}}]}\n"
        "  - reply: {tool_calls: [{name: subagent_wait, arguments: {ids: "
        "[one-1]}}]}\n"
        "  - reply: {text: '{{last_tool.results.0.output}}'}\n",
        "subagents: {one: one.yaml, two: two.yaml}\n"
        "tools: [{assembly: flow.yaml, name: flow, description: d}]\n");
  agent("one",
        appends("one", 4) + "  - reply: {text: first}\n" + appends("again", 3)
          + "  - reply: {text: second}\n",
        tools);
  agent("two", appends("two", 4) + "  - reply: {text: done}\n", tools);
  agent("three", appends("three", 4) + "  - reply: {text: done}\n", tools);
  folder.write("flow.yaml",
               "workflow: flow\nsteps:\n  - {invoke: three.yaml, as: three}\n");
}

} // namespace

TEST_CASE("nothing that works for an agent is lost or done twice",
          "[recovery]") {
  auto completed = 0;
  auto first = place{"  - reply: {text: unused}\n"};
  write_agents(first);
  auto length = length_of_a_run(first, "lead.yaml");
  auto most = wanted_kills / 4;
  for (auto round = 0; completed < most && round < 10 * most; ++round) {
    place place{"  - reply: {text: unused}\n"};
    write_agents(place);
    killer kill{place, length};
    kill.run({"run", "lead.yaml", "go"});
    auto run = complete_killed(place, kill);
    if (run.is_null())
      continue;
    ++completed;
    CHECK(run["response"] == "second");
    for (const auto& [line, times] : lines_of_log(place)) {
      INFO(line);
      CHECK(times == 1);
    }
    auto id = run["run_id"].get<std::string>();
    auto seq = 0;
    auto results = 0;
    for (const auto& event :
         lines_of(place.run({"runs", "logs", id, "--json"}).out)) {
      CHECK(event["seq"] == ++seq);
      const auto& inner
        = event["data"].contains("event") ? event["data"]["event"] : event;
      results += inner["type"] == "tool_result" ? 1 : 0;
    }
    // The parent's six, and those of all others.
    CHECK(results == 6 + 4 + 3 + 4 + 4);
    CHECK(run["usage"]["tool_calls"] == results);
  }
  CHECK(completed == most);
}
