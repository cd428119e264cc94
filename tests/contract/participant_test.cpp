#include "support/catch.hpp"

#include "contract/agents_place.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

using namespace troupe;
using nlohmann::json;
using test::calls;
using test::lines_of;
using test::says;
using test::troupe_of;

namespace {

std::string writes(const std::string& path) {
  return calls("{name: write_file, arguments: {path: " + path
               + ", content: x}}")
         + says("wrote " + path);
}

std::vector<json> public_events(troupe_of& x, const std::string& file,
                                const std::string& type) {
  auto result = std::vector<json>{};
  auto done = x.run({"run", file, "Q", "--events", "--no-agent-events"});
  INFO(done.err);
  for (auto& event : lines_of(done.out))
    if (event["type"] == type)
      result.push_back(std::move(event));
  return result;
}

} // namespace

TEST_CASE("a participant without the application's values fills in its prompt",
          "[contract]") {
  auto x = troupe_of{{{"m", says("A")}, {"lead", says("A")}}};
  x.write("m.mustache", "You help {{agent}}, asked {{input}}.");
  x.write_agent("m", "system_template: m.mustache\n");
  x.write("g.yaml", "graph: g\nnodes: {m: m.yaml}\nstart: m\nfinish: m\n");
  x.write("w.yaml", "workflow: w\nsteps: [{invoke: m.yaml, as: m}]\n");
  x.write("s.yaml", "swarm: s\nmembers: {m: m.yaml}\nstart: m\n");
  for (const auto* file : {"g.yaml", "w.yaml", "s.yaml"}) {
    CAPTURE(file);
    CHECK(x.run_json(file)["response"] == "A");
  }
}

TEST_CASE("calls of two steps with one id are decided each by itself",
          "[contract]") {
  auto x = troupe_of{{{"p", says("go")},
                      {"a", writes("a.txt")},
                      {"b", writes("b.txt")},
                      {"z", says("end")}}};
  for (const auto* name : {"a", "b"})
    x.write_agent(name, "tools: [write_file]\npermissions: {mode: approve}\n");
  x.write("g.yaml", "graph: g\nnodes: {p: p.yaml, a: a.yaml, b: b.yaml, "
                    "z: z.yaml}\nstart: p\nfinish: z\nedges:\n"
                    "  - {from: p, to: a}\n  - {from: p, to: b}\n"
                    "  - {from: a, to: z}\n  - {from: b, to: z}\n");
  auto done = x.run({"run", "g.yaml", "Q", "--json"});
  REQUIRE(done.code == 4);
  auto run = json::parse(done.out);
  auto id = run["run_id"].get<std::string>();
  auto names = std::vector<std::string>{};
  for (const auto& one : run["suspension"]["approvals"])
    names.push_back(one["call_id"]);
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"a/call_1_1", "b/call_1_1"});
  auto unclear
    = x.run({"runs", "resume", id, "--approve", "--call", "call_1_1"});
  CHECK(unclear.code == 2);
  CHECK(unclear.err.find("b/call_1_1 (write_file)") != std::string::npos);
  done = x.run(
    {"runs", "resume", id, "--approve", "--call", "b/call_1_1", "--json"});
  REQUIRE(done.code == 4);
  auto left = json::parse(done.out)["suspension"]["approvals"];
  REQUIRE(left.size() == 1);
  CHECK(left[0]["arguments"]["path"] == "a.txt");
  CHECK(x.run({"runs", "resume", id, "--deny", "--call", "a/call_1_1"}).code
        == 0);
}

TEST_CASE("participants see the attachments of a run that was gone on with",
          "[contract]") {
  auto x = troupe_of{{{"ap", writes("f.txt")},
                      {"v", "  - expect: {attachments: [{name: note.txt}]}\n"
                            "    reply: {text: saw}\n"}}};
  x.write("note.txt", "see");
  x.write_agent("ap", "tools: [write_file]\npermissions: {mode: approve}\n");
  x.write("w.yaml", "workflow: w\nsteps:\n  - {invoke: ap.yaml, as: x}\n"
                    "  - {invoke: v.yaml, as: v}\n");
  auto done = x.run({"run", "w.yaml", "go", "--attach", "note.txt", "--json"});
  REQUIRE(done.code == 4);
  auto id = json::parse(done.out)["run_id"].get<std::string>();
  done = x.run({"runs", "resume", id, "--approve", "--json"});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(json::parse(done.out)["response"] == "saw");
}

TEST_CASE("of several handoffs those that lose are told so", "[contract]") {
  auto x
    = troupe_of{{{"a", calls("{id: c1, name: handoff, arguments: {to: b}}, "
                             "{id: c2, name: handoff, arguments: {to: c}}, "
                             "{id: c3, name: handoff, arguments: {to: b}}")},
                 {"b", says("from b")},
                 {"c", says("from c")}}};
  x.write("s.yaml", "swarm: s\nmembers: {a: a.yaml, b: b.yaml, c: c.yaml}\n"
                    "start: a\nhandoffs: {a: [b, c]}\n");
  auto results = std::map<std::string, bool>{};
  for (const auto& event :
       lines_of(x.run({"run", "s.yaml", "Q", "--events"}).out)) {
    if (event["type"] != "agent_stream")
      continue;
    const auto& inner = event["data"]["event"];
    if (inner["type"] == "tool_result")
      results[inner["data"]["id"]] = inner["data"]["error"];
  }
  CHECK(
    results
    == std::map<std::string, bool>{{"c1", false}, {"c2", true}, {"c3", false}});
}

TEST_CASE("an assembly whose last word nobody streams gives it whole",
          "[contract]") {
  auto x = troupe_of{{{"a", says("word")}}};
  x.write("s.yaml", "swarm: s\nmembers: {a: a.yaml}\nstart: a\n");
  x.write("w.yaml", "workflow: w\nsteps: [{invoke: s.yaml, as: s}]\n");
  x.write("g.yaml", "graph: g\nnodes: {w: w.yaml}\nstart: w\nfinish: w\n");
  for (const auto* file : {"s.yaml", "w.yaml", "g.yaml"}) {
    CAPTURE(file);
    auto stops = public_events(x, file, "message_stop");
    REQUIRE(stops.size() == 1);
    CHECK(stops[0]["data"]["text"] == "word");
    CHECK(public_events(x, file, "text_delta").size() == 1);
  }
}

TEST_CASE("what an assembly has when its time is up is printed", "[contract]") {
  auto x
    = troupe_of{{{"a", "  - reply: {text: 'slow one and more of it', chunk: 4, "
                       "chunk_delay: 300ms}\n"}}};
  x.write("s.yaml", "swarm: s\nmembers: {a: a.yaml}\nstart: a\n");
  auto done = x.run({"run", "s.yaml", "Q", "--deadline", "700ms"});
  CHECK(done.out.starts_with("slow"));
}

TEST_CASE("a step that takes too long says which one and how long",
          "[contract]") {
  auto x = troupe_of{{{"a", "  - reply: {text: late, delay: 20s}\n"}}};
  x.write("g.yaml", "graph: g\nnodes: {a: {agent: a.yaml, timeout: 200ms}}\n"
                    "start: a\nfinish: a\n");
  auto run = x.run_json("g.yaml");
  CHECK(run["error"]["kind"] == "timeout");
  CHECK(run["error"]["message"]
        == "\"a\" has not answered within 200ms, the most it may take");
}

TEST_CASE("a value that is too long is stored where the run has its files",
          "[contract]") {
  auto x = troupe_of{
    {{"a", calls("{name: long, arguments: {input: go}}") + says("done")},
     {"long", says(std::string(300'000, 'x'))}}};
  x.write_agent("a", "tools: [{assembly: long.yaml, name: long, "
                     "description: d}]\n");
  x.write("g.yaml", "graph: g\nnodes: {a: a.yaml}\nstart: a\nfinish: a\n"
                    "sandbox: {provider: unrestricted, files: {root: "
                    "read_write, artifacts: read_only}}\n"
                    "workspace: {provider: directory, root: ., paths: "
                    "{artifacts: kept}}\n");
  auto run = x.run_json("g.yaml");
  CHECK(run["response"] == "done");
  auto found = false;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{
         x.folder().path() / "kept"})
    found = found || (entry.is_regular_file() && entry.file_size() > 300'000);
  CHECK(found);
}

TEST_CASE("an answer of many lines comes whole to whom it is a tool",
          "[contract]") {
  auto lines = std::string{};
  for (auto i = 0; i < 300; ++i)
    lines += "L" + std::to_string(i) + "\\n";
  auto x = troupe_of{{{"lead", calls("{name: long, arguments: {input: go}}")
                                 + says("{{last_tool.output}}")},
                      {"long", "  - reply: {text: \"" + lines + "\"}\n"}}};
  x.write_agent("lead", "tools: [{assembly: long.yaml, name: long, "
                        "description: d}]\n");
  auto text = x.run_json("lead.yaml")["response"].get<std::string>();
  CHECK(text.find("L0\n") != std::string::npos);
  CHECK(text.find("L299\n") != std::string::npos);
}

TEST_CASE("text that was not checked is no output", "[contract]") {
  auto x = troupe_of{
    {{"a", "  - reply: {text: '{\"t\": 12345678901234567890', chunk: 4, "
           "chunk_delay: 200ms}\n"}}};
  x.write_agent("a", "result_schema: {type: object, required: [t]}\n"
                     "result_strategy: tool\n");
  auto done = x.run({"run", "a.yaml", "Q", "--deadline", "700ms", "--json"});
  auto run = json::parse(done.out);
  CHECK(run["status"] == "partial");
  CHECK(run["output"].is_null());
}

TEST_CASE("names that nest too long are refused, and the run is at its end",
          "[contract]") {
  auto x = troupe_of{{{"a", says("A")}}};
  auto name = std::string(180, 'n');
  x.write("one.yaml",
          "workflow: one\nsteps: [{invoke: a.yaml, as: " + name + "}]\n");
  x.write("two.yaml",
          "workflow: two\nsteps: [{invoke: one.yaml, as: " + name + "}]\n");
  x.write("three.yaml",
          "workflow: three\nsteps: [{invoke: two.yaml, as: b}]\n");
  auto done = x.run({"run", "three.yaml", "Q", "--json"});
  auto run = json::parse(done.out);
  CHECK(run["status"] == "failed");
  CHECK(run["error"]["kind"] == "configuration");
  auto list = json::parse(x.run({"runs", "list", "--json"}).out);
  REQUIRE(list.size() == 1);
  CHECK(list[0]["status"] == "failed");
}
