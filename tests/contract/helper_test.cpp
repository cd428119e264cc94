#include "support/catch.hpp"

#include "contract/agents_place.hpp"

#include <algorithm>
#include <set>

using namespace troupe;
using nlohmann::json;
using test::calls;
using test::lines_of;
using test::participants_of;
using test::says;
using test::troupe_of;

namespace {

using names = std::vector<std::string>;

std::string spawns(const std::string& kind, const std::string& task) {
  return "{name: subagent_spawn, arguments: {kind: " + kind + ", task: '" + task
         + "'}}";
}

std::string waits(const std::string& ids) {
  return "{name: subagent_wait, arguments: {ids: [" + ids + "]}}";
}

/// What the model was told by its `n`-th tool call.
json told(const std::vector<json>& events, size_t n) {
  auto seen = size_t{0};
  for (const auto& event : events)
    if (event["type"] == "tool_result" && seen++ == n)
      return event["data"]["content"];
  FAIL("there is no such result");
  return {};
}

std::vector<json> events_of(troupe_of& x,
                            const std::string& file = "lead.yaml") {
  auto done = x.run({"run", file, "Q", "--events"});
  INFO(done.err);
  return lines_of(done.out);
}

constexpr auto with_research
  = "subagents: {research: {agent: research.yaml, max: 2}}\n";

} // namespace

TEST_CASE("a parent delegates a task and gets the answer", "[contract]") {
  auto x = troupe_of{
    {{"lead", calls(spawns("research", "find it")) + calls(waits("research-1"))
                + says("{{last_tool.results.0.output}}!")},
     {"research", says("found {{input}}")}}};
  x.write_agent("lead", with_research);
  auto run = x.run_json("lead.yaml", "Q");
  CHECK(run["kind"] == "agent");
  CHECK(run["name"] == "lead");
  CHECK(run["status"] == "completed");
  CHECK(run["response"] == "found find it!");
  CHECK(participants_of(run) == names{"lead", "research"});
  // Each is counted, and once: three requests of the parent and one of the
  // child, whose usage is the parent's, too.
  CHECK(run["usage"]["model_requests"] == 4);
  CHECK(run["usage"]["tool_calls"] == 2);
  SECTION("whose events are told from the parent's own") {
    auto events = events_of(x);
    auto from_child = json{};
    for (const auto& event : events)
      if (event["type"] == "agent_stream"
          && event["data"]["event"]["type"] == "message_stop")
        from_child = event;
    CHECK(from_child["participant"] == "research");
    CHECK(from_child["data"]["source"]["agent"] == json{"lead", "research"});
    CHECK(from_child["data"]["source"]["operation"] == "research-1");
    CHECK(told(events, 0)
          == json{
            {"id", "research-1"}, {"kind", "research"}, {"status", "running"}});
    CHECK(events.back()["type"] == "run_stop");
    auto seq = uint64_t{0};
    for (const auto& event : events)
      if (!event["seq"].is_null())
        CHECK(event["seq"] == ++seq);
  }
  SECTION("in a conversation that the next run goes on with") {
    auto first = x.run({"run", "lead.yaml", "Q", "--session", "s", "--json"});
    REQUIRE(first.code == 0);
    auto shown = json::parse(x.run({"sessions", "show", "s", "--json"}).out);
    CHECK(shown["agent"] == "lead");
    CHECK(shown["messages"].size() == 6);
  }
}

TEST_CASE("children work at once", "[contract]") {
  auto x = troupe_of{
    {{"lead", calls(spawns("research", "a") + ", " + spawns("research", "b"))
                + calls("{name: subagent_wait, arguments: {}}")
                + says("{{last_tool.results.0.output}}"
                       "{{last_tool.results.1.output}}")},
     {"research", "  - reply: {text: '{{input}}', delay: 300ms}\n"}}};
  x.write_agent("lead", with_research);
  auto run = x.run_json("lead.yaml");
  auto response = run["response"].get<std::string>();
  std::sort(response.begin(), response.end());
  CHECK(response == "ab");
  auto& steps = run["steps"];
  REQUIRE(steps.size() == 3);
  CHECK(steps[2]["started_at"] < steps[1]["ended_at"]);
}

TEST_CASE("a subagent that has answered can be spoken to again", "[contract]") {
  auto x = troupe_of{
    {{"lead",
      calls(spawns("research", "first")) + calls(waits("research-1"))
        + calls("{name: subagent_message, arguments: {id: research-1, message: "
                "second}}")
        + calls(waits("research-1")) + says("{{last_tool.results.0.output}}")},
     {"research", says("one {{input}}") + says("two {{input}}")}}};
  x.write_agent("lead", with_research);
  auto run = x.run_json("lead.yaml");
  CHECK(run["response"] == "two second");
  CHECK(participants_of(run) == names{"lead", "research", "research"});
}

TEST_CASE("a subagent that works hears what it is told", "[contract]") {
  auto x = troupe_of{
    {{"lead",
      calls(spawns("research", "first"))
        + calls("{name: subagent_message, arguments: {id: research-1, message: "
                "more}}")
        + calls(waits("research-1")) + says("{{last_tool.results.0.output}}")},
     {"research", "  - reply: {text: 'early {{input}}', delay: 300ms}\n"
                    + says("late {{input}}")}}};
  x.write_agent("lead", with_research);
  auto run = x.run_json("lead.yaml");
  // It may be told before it has asked its model, on a busy machine.
  auto response = run["response"].get<std::string>();
  CHECK((response == "late more" || response == "early more"));
}

TEST_CASE("what cannot be ordered is told to the model", "[contract]") {
  auto lead = calls(spawns("research", "a")) + calls(spawns("research", "b"))
              + calls(spawns("research", "c"))
              + calls("{name: subagent_message, arguments: {id: reserch-1, "
                      "message: m}}")
              + calls("{name: subagent_stop, arguments: {id: research-1}}")
              + calls(spawns("research", "d"))
              + calls("{name: subagent_message, arguments: {id: research-1, "
                      "message: m}}")
              + calls("{name: subagent_list, arguments: {}}")
              + calls(spawns("nobody", "x")) + says("done");
  auto x
    = troupe_of{{{"lead", lead},
                 {"research", "  - reply: {text: '{{input}}', delay: 20s}\n"}}};
  x.write_agent("lead", with_research);
  auto events = events_of(x);
  auto error = [&](size_t n) {
    return told(events, n).value("error", std::string{});
  };
  CHECK(told(events, 1)["id"] == "research-2");
  CHECK(error(2).find("the most at once") != std::string::npos);
  CHECK(error(3).find("did you mean \"research-1\"") != std::string::npos);
  CHECK(told(events, 4)["status"] == "stopped");
  CHECK(told(events, 5)["id"] == "research-3");
  CHECK(error(6).find("stopped") != std::string::npos);
  CHECK(told(events, 7)["subagents"].size() == 3);
  CHECK(error(8).find("invalid arguments") != std::string::npos);
  // Those that were at work ended with their parent.
  auto run = json::parse(x.run({"runs", "list", "--json"}).out)[0];
  CHECK(run["status"] == "completed");
  auto statuses = std::multiset<std::string>{};
  for (const auto& step : run["steps"])
    statuses.insert(step["status"]);
  CHECK(statuses
        == std::multiset<std::string>{"cancelled", "cancelled", "cancelled",
                                      "completed"});
}

TEST_CASE("a child that fails answers its parent", "[contract]") {
  auto x = troupe_of{
    {{"lead", calls(spawns("research", "a")) + calls(waits("research-1"))
                + says("{{last_tool.results.0.error.kind}}")},
     {"research", "  - error: {kind: auth, status: 401}\n"}}};
  x.write_agent("lead", with_research);
  auto run = x.run_json("lead.yaml");
  CHECK(run["status"] == "completed");
  CHECK(run["response"] == "auth");
  CHECK(run["steps"][1]["status"] == "failed");
}

TEST_CASE("agents start others only so deep", "[contract]") {
  auto nested = calls(spawns("deeper", "t")) + calls(waits("deeper-1"))
                + says("{{last_tool.results.0.output}}");
  auto x = troupe_of{{{"lead", nested}, {"deeper", nested}}};
  x.write("troupe.yaml", "version: 1\nagents: {lead: lead.yaml}\n"
                         "limits: {max_depth: 2}\n");
  x.write_agent("lead", "subagents: {deeper: {agent: lead}}\n");
  auto run = json::parse(x.run({"run", "lead", "Q", "--json"}).out);
  CHECK(run["status"] == "completed");
  // The third of them may start none, so there is nothing to wait for.
  CHECK(participants_of(run) == names{"lead", "deeper", "deeper"});
  SECTION("also where a file names itself") {
    x.write("troupe.yaml", "version: 1\nlimits: {max_depth: 2}\n");
    x.write_agent("lead", "subagents: {deeper: {agent: lead.yaml}}\n");
    run = x.run_json("lead.yaml");
    CHECK(run["status"] == "completed");
    CHECK(participants_of(run) == names{"lead", "deeper", "deeper"});
  }
}

TEST_CASE("an assembly that leads back to its agent ends at the same depth",
          "[contract]") {
  auto x = troupe_of{
    {{"lead", calls("{name: again, arguments: {input: x}}")
                + says("{{last_tool.error}}{{last_tool.output}}")}}};
  x.write("troupe.yaml", "version: 1\nagents: {lead: lead.yaml}\n");
  x.write_agent("lead", "tools: [{assembly: lead, name: again, description: "
                        "d}]\nlimits: {max_depth: 2}\n");
  auto run = json::parse(x.run({"run", "lead", "Q", "--json"}).out);
  CHECK(run["status"] == "completed");
  CHECK(run["steps"].size() == 3);
  CHECK(run["response"].get<std::string>().find("2 deep at most")
        != std::string::npos);
}

TEST_CASE("parent and children share one budget", "[contract]") {
  SECTION("of tool calls") {
    auto x = troupe_of{
      {{"lead", calls(spawns("research", "a")) + calls(waits("research-1"))
                  + says("{{last_tool.results.0.error.kind}}")},
       {"research", // when its parent has made its second call
        "  - reply: {delay: 500ms, tool_calls: [{name: list_files, arguments: "
        "{}}, {name: list_files, arguments: {}}]}\n"
          + says("ok")}}};
    x.write_agent("research", "tools: [list_files]\n");
    x.write_agent("lead",
                  std::string{with_research} + "limits: {max_tool_calls: 3}\n");
    auto run = x.run_json("lead.yaml");
    CHECK(run["status"] == "completed");
    CHECK(run["response"] == "limit");
  }
  SECTION("of tokens") {
    auto x = troupe_of{
      {{"lead", calls(spawns("research", "a")) + calls(waits("research-1"))
                  + says("too late")},
       {"research", "  - reply: {text: x, usage: {input_tokens: 900, "
                    "output_tokens: 200}}\n"}}};
    x.write_agent("lead",
                  std::string{with_research} + "limits: {max_tokens: 1000}\n");
    auto run = x.run_json("lead.yaml");
    CHECK(run["status"] == "failed");
    CHECK(run["error"]["kind"] == "limit");
    CHECK(run["usage"]["input_tokens"] == 900);
  }
}

TEST_CASE("a tree whose time is up gives what exists", "[contract]") {
  auto x
    = troupe_of{{{"lead", "  - reply: {text: 'So far so good.', tool_calls: ["
                            + spawns("research", "a") + "]}\n"
                            + calls(waits("research-1"))},
                 {"research", "  - reply: {text: never, delay: 60s}\n"}}};
  x.write_agent("lead", with_research);
  auto done = x.run({"run", "lead.yaml", "Q", "--json", "--deadline", "1s"});
  CHECK(done.code == 3);
  auto run = json::parse(done.out);
  CHECK(run["status"] == "partial");
  CHECK(run["response"] == "So far so good.");
  CHECK(run["steps"][1]["status"] == "partial");
}

TEST_CASE("an assembly is a tool", "[contract]") {
  auto x
    = troupe_of{{{"lead", calls("{name: investigate, arguments: {input: why}}")
                            + says("{{last_tool.output}}")},
                 {"a", says("a {{input}}")},
                 {"b", says("b {{input}}")}}};
  x.write("flow.yaml", "workflow: flow\nsteps:\n  - {invoke: a.yaml, as: a}\n"
                       "  - {invoke: b.yaml, as: b, input: "
                       "'{{results.a.output}}'}\n");
  x.write_agent("lead", "tools: [{assembly: flow.yaml, name: investigate, "
                        "description: Looks into it.}]\n");
  auto run = x.run_json("lead.yaml");
  CHECK(run["response"] == "b a why");
  CHECK(participants_of(run) == names{"lead", "investigate", "a", "b"});
  CHECK(run["usage"]["model_requests"] == 4);
  SECTION("whose failure the model is told") {
    x.write("b.model.yaml",
            "cassette: 1\nexchanges:\n  - error: {kind: auth, status: 401}\n");
    x.write("lead.model.yaml",
            "cassette: 1\nexchanges:\n"
              + calls("{name: investigate, arguments: {input: why}}")
              + says("{{last_tool.error}}"));
    run = x.run_json("lead.yaml");
    CHECK(run["status"] == "completed");
    CHECK(run["response"].get<std::string>().find("auth") == 0);
  }
}

TEST_CASE("agents with helpers take part in assemblies", "[contract]") {
  auto x = troupe_of{
    {{"lead", calls(spawns("research", "find it")) + calls(waits("research-1"))
                + says("{{last_tool.results.0.output}}!")},
     {"research", says("found")},
     {"last", says("{{input}}?")}}};
  x.write_agent("lead", with_research);
  x.write("flow.yaml",
          "workflow: flow\nsteps:\n  - {invoke: lead.yaml, as: lead}\n"
          "  - {invoke: last.yaml, as: last, input: "
          "'{{results.lead.output}}'}\n");
  auto run = x.run_json("flow.yaml");
  CHECK(run["response"] == "found!?");
  CHECK(participants_of(run) == names{"lead", "research", "last"});
  CHECK(run["usage"]["model_requests"] == 5);
}

TEST_CASE("what is wrong with helpers is said before anything runs",
          "[contract]") {
  auto x = troupe_of{{{"lead", says("x")}, {"research", says("x")}}};
  auto error = [&](const std::string& more) {
    x.write_agent("lead", more);
    auto done = x.run({"run", "lead.yaml", "Q"});
    CHECK(done.code == 2);
    return done.err;
  };
  CHECK(error("subagents: {a: {agent: missing.yaml}}\n").find("missing.yaml")
        != std::string::npos);
  CHECK(error("subagents: {a: nobody}\n").find("there is no agent \"nobody\"")
        != std::string::npos);
  CHECK(error("subagents: {a: {agent: research.yaml, retries: 2, retry_on: "
              "[provider]}}\n")
          .find("a subagent is not retried")
        != std::string::npos);
  CHECK(error("tools: [{assembly: research.yaml, name: subagent_list}]\n"
              "subagents: {a: research.yaml}\n")
          .find("is there twice")
        != std::string::npos);
}

TEST_CASE("who waits for one that is stopped meanwhile goes on", "[contract]") {
  auto x = troupe_of{
    {{"lead", calls(spawns("research", "a"))
                + "  - reply: {delay: 500ms, tool_calls: ["
                + waits("research-1")
                + ", {name: subagent_stop, arguments: {id: research-1}}]}\n"
                + says("{{tool.subagent_wait.results.0.status}}")},
     {"research",
      calls("{name: write_file, arguments: {path: f.txt, content: x}}")
        + says("written")}}};
  x.write_agent("research", "tools: [write_file]\n"
                            "permissions: {mode: approve}\n");
  x.write_agent("lead", with_research);
  auto run = x.run_json("lead.yaml");
  if (run["status"] == "suspended") { // the wait came first
    CHECK(run["suspension"]["approvals"].empty());
    auto done = x.run({"runs", "resume", run["run_id"], "--json"});
    INFO(done.err);
    run = json::parse(done.out);
  }
  CHECK(run["status"] == "completed");
  CHECK(run["response"] == "stopped");
}

TEST_CASE("a run waits with a child that waits for a person", "[contract]") {
  auto x = troupe_of{
    {{"lead", calls(spawns("research", "a")) + calls(waits("research-1"))
                + says("{{last_tool.results.0.output}}")},
     {"research",
      calls("{name: write_file, arguments: {path: f.txt, content: x}}")
        + says("written")}}};
  x.write_agent("research", "tools: [write_file]\n"
                            "permissions: {mode: approve}\n");
  x.write_agent("lead", with_research);
  auto done = x.run({"run", "lead.yaml", "Q", "--json"});
  CHECK(done.code == 4);
  auto run = json::parse(done.out);
  CHECK(run["status"] == "suspended");
  REQUIRE(run["suspension"]["approvals"].size() == 1);
  CHECK(run["suspension"]["approval"]["tool"] == "write_file");
  done = x.run({"runs", "resume", run["run_id"], "--approve", "--json"});
  INFO(done.err);
  CHECK(done.code == 0);
  run = json::parse(done.out);
  CHECK(run["response"] == "written");
  CHECK(participants_of(run) == names{"lead", "research"});
}
