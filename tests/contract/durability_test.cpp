#include "support/catch.hpp"
#include "support/program.hpp"

#include "contract/place.hpp"
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <memory>

#include <sys/stat.h>

using namespace troupe;
using namespace troupe::test;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

constexpr auto asking = "permissions: {mode: approve}\n"
                        "sandbox: {provider: unrestricted}\n";

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

json parsed(const program_result& x) {
  INFO(x.err);
  REQUIRE_FALSE(x.out.empty());
  return json::parse(x.out);
}

program::spec command(const place& where, std::vector<std::string> arguments) {
  auto result = program::spec{};
  result.arguments = std::move(arguments);
  result.folder = where.folder().path();
  return result;
}

std::string status_of(const place& where, const json& run) {
  auto id = run["run_id"].get<std::string>();
  return parsed(where.run({"runs", "show", id, "--json"}))["status"];
}

constexpr auto one_reply = "  - reply: {text: hello}\n";

} // namespace

// -- recordings ---------------------------------------------------------------

TEST_CASE("--record writes through a link and to no device", "[runs]") {
  place place{one_reply};
  auto folder = place.folder().path();
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("pipe", folder / "to_pipe");
  place.folder().write("old.yaml", "old");
  fs::create_symlink("old.yaml", folder / "to_old");
  fs::create_symlink("to_new.yaml", folder / "to_new");
  fs::create_symlink("loop", folder / "loop");
  for (const auto* wrong : {"pipe", "to_pipe", "loop"}) {
    CAPTURE(wrong);
    auto done = place.run({"run", "guide.yaml", "hi", "--record", wrong});
    CHECK(done.code == 2);
    CHECK(done.err.starts_with("troupe: configuration: "));
  }
  CHECK(fs::is_fifo(fs::symlink_status(folder / "pipe")));
  CHECK(fs::is_symlink(folder / "to_pipe"));
  CHECK(parsed(place.run({"runs", "list", "--json"})).empty());
  for (const auto* link : {"to_old", "to_new"}) {
    CAPTURE(link);
    CHECK(place.run({"run", "guide.yaml", "hi", "--record", link}).code == 0);
    CHECK(fs::is_symlink(folder / link));
    CHECK(
      contains(place.folder().read(fs::read_symlink(folder / link)), "hello"));
  }
}

TEST_CASE("--record is refused where several agents speak", "[runs]") {
  place place{one_reply};
  place.folder().write("graph.yaml",
                       "{graph: g, nodes: {a: guide.yaml, b: guide.yaml}, "
                       "start: a, edges: [{from: a, to: b}], finish: b}");
  place.folder().write("boss.yaml", "agent: boss\nmodel: cassette:model.yaml\n"
                                    "subagents: {help: {agent: guide.yaml}}\n");
  for (const auto* file : {"graph.yaml", "boss.yaml"}) {
    CAPTURE(file);
    auto done = place.run({"run", file, "hi", "--record", "tape.yaml"});
    CHECK(done.code == 2);
    CHECK(contains(done.err, "only an agent that works alone"));
    CHECK(contains(done.err, "hint: "));
    CHECK_FALSE(fs::exists(place.folder().path() / "tape.yaml"));
    CHECK(parsed(place.run({"runs", "list", "--json"})).empty());
  }
}

// -- flags --------------------------------------------------------------------

TEST_CASE("a flag that says nothing is refused", "[runs]") {
  place place{one_reply};
  for (const auto* flag :
       {"--deadline", "--record", "--model", "--workspace"}) {
    CAPTURE(flag);
    auto done = place.run({"run", "guide.yaml", "hi", flag, ""});
    CHECK(done.code == 2);
    CHECK(contains(done.err, flag));
  }
  for (const auto* flag : {"--wait", "--wait-until"})
    CHECK(place.run({"run", "guide.yaml", "hi", "--later", flag, ""}).code
          == 2);
  CHECK(parsed(place.run({"runs", "list", "--json"})).empty());
}

TEST_CASE("all attachments that are wrong are told at once", "[runs]") {
  place place{one_reply};
  auto done = place.run({"run", "guide.yaml", "hi", "--attach", "none.png",
                         "--attach", "notes.txt", "--attach", "gone.pdf"});
  CHECK(done.code == 2);
  CHECK(contains(done.err, "none.png"));
  CHECK(contains(done.err, "gone.pdf"));
}

// -- what an agent produces ---------------------------------------------------

TEST_CASE("a product that is not there is told once, by who it misses of",
          "[runs]") {
  place place{one_reply, "produces: [missing.txt]\n"
                         "sandbox: {provider: unrestricted}\n"};
  place.folder().write("graph.yaml",
                       "{graph: g, nodes: {first: guide.yaml, second: "
                       "guide.yaml}, start: first, edges: [{from: first, to: "
                       "second}], finish: second}");
  auto alone = place.run({"run", "guide.yaml", "hi"});
  CHECK(alone.code == 0);
  CHECK(contains(alone.err, "guide produced no missing.txt"));
  CHECK_FALSE(contains(alone.err, "clean up"));
  auto graph = place.run({"run", "graph.yaml", "hi"});
  CHECK(graph.code == 0);
  for (const auto* name : {"first", "second"}) {
    auto line = std::string{name} + " produced no missing.txt";
    CHECK(contains(graph.err, line));
    CHECK(graph.err.find(line) == graph.err.rfind(line));
  }
  CHECK_FALSE(contains(graph.err, "clean up"));
}

TEST_CASE("what cannot be produced is refused when the file is read",
          "[runs]") {
  place place{one_reply};
  for (const auto* path : {"../x", "/etc/passwd", "\"\"", "."}) {
    CAPTURE(path);
    place.folder().write("guide.yaml",
                         "agent: guide\nmodel: cassette:model.yaml\nproduces: ["
                           + std::string{path} + "]\n");
    auto done = place.run({"run", "guide.yaml", "hi"});
    CHECK(done.code == 2);
    CHECK(contains(done.err, "produces[0]"));
    CHECK(contains(done.err, "guide.yaml:3"));
  }
}

// -- runs that go on ----------------------------------------------------------

TEST_CASE("a run whose process was killed is resumed at once", "[runs]") {
  place place{R"(
  - reply: {tool_calls: [{id: c1, name: shell, arguments: {command: "echo > started; exec sleep 100"}}]}
  - reply: {text: "Back."}
)"};
  program running{command(place, {"run", "guide.yaml", "go"})};
  REQUIRE(eventually([&] { return !place.folder().read("started").empty(); }));
  running.signal(SIGKILL);
  CHECK(running.wait().code == 128 + SIGKILL);
  auto left = parsed(place.run({"runs", "list", "--json"}));
  REQUIRE(left.size() == 1);
  auto done
    = place.run({"runs", "resume", left[0]["run_id"].get<std::string>()});
  CHECK(done.out == "Back.\n");
  CHECK(done.code == 0);
}

TEST_CASE("a run is not gone on with without the step that it waits in",
          "[runs]") {
  place place{R"(
  - reply: {tool_calls: [{id: c1, name: write_file, arguments: {path: new.txt, content: hello}}]}
  - reply: {text: done}
)",
              asking};
  place.folder().write("other.yaml",
                       "{agent: other, model: \"cassette:other.model.yaml\"}");
  place.folder().write("other.model.yaml",
                       "cassette: 1\nexchanges: [{reply: {text: other}}]\n");
  auto before = std::string{}, after = std::string{};
  SECTION("of a graph") {
    before = "{graph: g, nodes: {p: guide.yaml, a: other.yaml}, start: p, "
             "edges: [{from: p, to: a}], finish: a}";
    after = "{graph: g, nodes: {a: other.yaml}, start: a, finish: a}";
  }
  SECTION("of a swarm") {
    before = "{swarm: g, members: {p: guide.yaml, a: other.yaml}, start: p}";
    after = "{swarm: g, members: {a: other.yaml}, start: a}";
  }
  SECTION("of a workflow") {
    before = "{workflow: g, steps: [{invoke: guide.yaml, as: p}, {invoke: "
             "other.yaml, as: a}]}";
    after = "{workflow: g, steps: [{invoke: other.yaml, as: a}]}";
  }
  SECTION("of an assembly in it") {
    before = "{graph: g, nodes: {in: {graph: i, nodes: {p: guide.yaml}, "
             "start: p, finish: p}}, start: in, finish: in}";
    after = "{graph: g, nodes: {in: {graph: i, nodes: {a: other.yaml}, "
            "start: a, finish: a}}, start: in, finish: in}";
  }
  place.folder().write("g.yaml", before);
  auto first = place.run({"run", "g.yaml", "hi", "--json"});
  CHECK(first.code == 4);
  auto run = parsed(first);
  auto id = run["run_id"].get<std::string>();
  place.folder().write("g.yaml", after);
  auto refused = place.run({"runs", "resume", id, "--approve"});
  CHECK(refused.code == 2);
  CHECK(refused.err.starts_with("troupe: configuration: "));
  CHECK(contains(refused.err, "p\""));
  CHECK(status_of(place, run) == "suspended");
  place.folder().write("g.yaml", before);
  CHECK(place.run({"runs", "resume", id, "--approve"}).code == 0);
  CHECK(place.folder().read("new.txt") == "hello");
}

TEST_CASE("runs of one session in several processes take turns from the start",
          "[runs]") {
  place place{R"(
  - reply: {text: one, delay: 50ms}
  - reply: {text: two, delay: 50ms}
  - reply: {text: three, delay: 50ms}
)"};
  place.folder().write("graph.yaml", "{graph: g, nodes: {a: guide.yaml}, "
                                     "start: a, finish: a}");
  for (const auto* file : {"guide.yaml", "graph.yaml"})
    for (auto round = 0; round < 4; ++round) {
      auto session = file + std::to_string(round);
      auto both = std::vector<std::unique_ptr<program>>{};
      for (const auto* said : {"left", "right", "middle"})
        both.push_back(std::make_unique<program>(
          command(place, {"run", file, said, "--session", session, "--json"})));
      for (auto& one : both) {
        auto done = one->wait();
        CHECK(done.code == 0);
        auto run = parsed(done);
        CHECK(run["status"] == "completed");
        CHECK(status_of(place, run) == "completed");
      }
    }
  CHECK(place.run({"work", "--once"}).out == "");
}

// -- a full store -------------------------------------------------------------

TEST_CASE("a run that does not fit into its store has failed there, too",
          "[runs]") {
  auto big = std::string(400000, 'x');
  place place{"  - reply: {text: " + big + "}\n"};
  place.folder().write("troupe.yaml", "storage: {map_size: 1MiB}\n");
  place.folder().write("flow.yaml",
                       "{workflow: f, steps: [{invoke: guide.yaml, as: a}, "
                       "{invoke: guide.yaml, as: b}]}");
  auto alone = false;
  SECTION("a workflow") {
    alone = false;
  }
  SECTION("an agent") {
    alone = true;
    CHECK(place.run({"run", "guide.yaml", "hi"}).code == 0);
  }
  auto done
    = place.run({"run", alone ? "guide.yaml" : "flow.yaml", "hi", "--json"});
  CHECK(done.code == 1);
  auto run = parsed(done);
  CHECK(run["status"] == "failed");
  CHECK(run["error"]["kind"] == "storage");
  CHECK(run["error"]["message"] == "the store is full");
  CHECK(contains(done.err, "hint: delete sessions, or raise storage.map_size"));
  auto shown = parsed(
    place.run({"runs", "show", run["run_id"].get<std::string>(), "--json"}));
  CHECK(shown["status"] == "failed");
  CHECK(shown["error"]["kind"] == "storage");
  CHECK(place.run({"runs", "reconcile"}).out == "0\n");
  CHECK(place.run({"work", "--once"}).out == "");
}
