#include "support/catch.hpp"
#include "support/program.hpp"

#include "contract/place.hpp"
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>

using namespace troupe;
using namespace troupe::test;
using nlohmann::json;

namespace {

constexpr auto approving = "permissions: {mode: approve}\n"
                           "sandbox: {provider: unrestricted}\n";

constexpr auto three_calls = R"(
  - reply: {text: "Now.", tool_calls: [{id: c1, name: shell, arguments: {command: "echo one >> log"}}, {id: c2, name: read_file, arguments: {path: notes.txt}}, {id: c3, name: write_file, arguments: {path: new.txt, content: hello}}]}
  - reply: {text: "Done."}
)";

constexpr auto waiting = R"(
  - reply: {tool_calls: [{id: c1, name: shell, arguments: {command: "echo $$ > started; exec sleep 100"}}]}
  - reply: {text: "Never."}
)";

json parsed(const program_result& x) {
  INFO(x.err);
  REQUIRE_FALSE(x.out.empty());
  return json::parse(x.out);
}

/// Starts a run that suspends; its object.
json suspend(const place& where) {
  auto done = where.run({"run", "guide.yaml", "go", "--json"});
  CHECK(done.code == 4);
  return parsed(done);
}

/// The events of a run, checked to be numbered without gaps.
std::vector<json> events_of(const place& where, const std::string& id) {
  auto result = lines_of(where.run({"runs", "logs", id, "--json"}).out);
  for (size_t i = 0; i < result.size(); ++i)
    CHECK(result[i]["seq"] == i + 1);
  return result;
}

size_t count(const std::vector<json>& events, const char* type) {
  auto count = size_t{0};
  for (const auto& event : events)
    count += event["type"] == type ? 1 : 0;
  return count;
}

json messages_of(const place& where, const json& run) {
  auto id = run["session_id"].get<std::string>();
  return parsed(where.run({"sessions", "show", id, "--json"}))["messages"];
}

} // namespace

TEST_CASE("a call that needs a person suspends the run", "[runs]") {
  place place{three_calls, approving};
  auto run = suspend(place);
  auto id = run["run_id"].get<std::string>();
  CHECK(run["status"] == "suspended");
  CHECK(run["ended_at"].is_null());
  const auto& suspension = run["suspension"];
  CHECK(suspension["resume_key"].is_null());
  CHECK(suspension["approval"]["capability"] == "shell");
  CHECK(suspension["approval"]["tool"] == "shell");
  CHECK(suspension["approval"]["arguments"]["command"] == "echo one >> log");
  CHECK(suspension["approvals"].size() == 2);
  CHECK_FALSE(std::filesystem::exists(place.folder().path() / "log"));
  auto shown = parsed(place.run({"runs", "show", id, "--json"}));
  CHECK(shown["suspension"] == suspension);
  auto events = events_of(place, id);
  CHECK(events.back()["type"] == "suspended");
  CHECK(count(events, "approval_request") == 2);
  // What needed nobody has its result.
  CHECK(count(events, "tool_result") == 1);

  SECTION("several are decided one by one") {
    auto unclear = place.run({"runs", "resume", id, "--approve"});
    CHECK(unclear.code == 2);
    CHECK(unclear.err.find("c1") != std::string::npos);
    auto wrong = place.run({"runs", "resume", id, "--approve", "--call", "x"});
    CHECK(wrong.code == 2);
    auto half = place.run({"runs", "resume", id, "--approve", "--call", "c1"});
    CHECK(half.code == 4);
    CHECK(place.folder().read("log") == "one\n");
    auto whole = place.run(
      {"runs", "resume", id, "--deny", "--reason", "not today", "--json"});
    CHECK(whole.code == 0);
    auto done = parsed(whole);
    CHECK(done["status"] == "completed");
    CHECK(done["suspension"].is_null());
    CHECK_FALSE(std::filesystem::exists(place.folder().path() / "new.txt"));
    auto messages = messages_of(place, done);
    REQUIRE(messages.size() == 6);
    CHECK(messages[4]["content"][0]["content"]["error"]
          == "permission denied: write (not today)");
    CHECK(place.folder().read("log") == "one\n");
    events_of(place, id);
  }
  SECTION("without a decision it is announced again") {
    auto again = place.run({"runs", "resume", id});
    CHECK(again.code == 4);
    CHECK(count(events_of(place, id), "approval_request") == 4);
    CHECK_FALSE(std::filesystem::exists(place.folder().path() / "log"));
  }
  SECTION("cancelling settles what waits") {
    auto cancelled = place.run({"runs", "cancel", id, "--json"});
    CHECK(cancelled.code == 0);
    CHECK(parsed(cancelled)["status"] == "cancelled");
    auto messages = messages_of(place, run);
    CHECK(messages.size() == 5);
    CHECK(events_of(place, id).back()["type"] == "run_cancel");
    CHECK(place.run({"runs", "resume", id, "--approve"}).code == 2);
    CHECK_FALSE(std::filesystem::exists(place.folder().path() / "log"));
  }
  SECTION("its conversation waits with it") {
    auto other = place.run({"run", "guide.yaml", "hello", "--session",
                            run["session_id"].get<std::string>()});
    CHECK(other.code == 2);
    CHECK(other.err.find(id) != std::string::npos);
    auto deleted
      = place.run({"sessions", "delete", run["session_id"].get<std::string>()});
    CHECK(deleted.code == 2);
    CHECK(deleted.err.find(id) != std::string::npos);
  }
}

TEST_CASE("approve_when narrows what waits for a person", "[runs]") {
  place place{three_calls, "permissions: {mode: approve, approve_when: {write: "
                           "[\"secret/**\"], shell: [\"rm *\"]}}\n"
                           "sandbox: {provider: unrestricted}\n"};
  CHECK(place.run({"run", "guide.yaml", "go"}).code == 0);
  CHECK(place.folder().read("new.txt") == "hello");
}

TEST_CASE("a decision is about one call of one turn", "[runs]") {
  place place{R"(
  - reply: {tool_calls: [{id: c1, name: shell, arguments: {command: "echo x >> log"}}]}
  - reply: {tool_calls: [{id: c1, name: shell, arguments: {command: "echo x >> log"}}]}
  - reply: {text: "Done."}
)",
              approving};
  auto id = suspend(place)["run_id"].get<std::string>();
  CHECK(place.run({"runs", "resume", id, "--approve"}).code == 4);
  CHECK(place.folder().read("log") == "x\n");
  CHECK(place.run({"runs", "resume", id, "--approve"}).code == 0);
  CHECK(place.folder().read("log") == "x\nx\n");
}

TEST_CASE("a queued run waits for a worker", "[runs]") {
  place place{"  - reply: {text: hello}\n"};
  auto queued = place.run({"run", "guide.yaml", "hi", "--later"});
  CHECK(queued.code == 0);
  auto id = queued.out.substr(0, queued.out.size() - 1);
  CHECK(id.size() == 36);
  auto object
    = parsed(place.run({"run", "guide.yaml", "hi", "--later", "--queue",
                        "night", "--wait", "1h", "--json"}));
  CHECK(object["status"] == "queued");
  auto list
    = parsed(place.run({"runs", "list", "--status", "queued", "--json"}));
  REQUIRE(list.size() == 2);
  CHECK(list[1]["run_id"] == id);
  CHECK(parsed(place.run({"runs", "list", "--queue", "night", "--json"})).size()
        == 1);
  CHECK(place.run({"work", "--once", "--queue", "night"}).out.empty());
  auto worked = place.run({"work", "--once", "--json"});
  CHECK(worked.code == 0);
  auto lines = lines_of(worked.out);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["run_id"] == id);
  CHECK(lines[0]["status"] == "completed");
  CHECK(lines[0]["response"] == "hello");
  CHECK(events_of(place, id).front()["type"] == "run_start");
  CHECK(place.run({"work", "--once"}).out.empty()); // the other is not due
}

TEST_CASE("what is wrong with --later leaves no run", "[runs]") {
  place place{"  - reply: {text: hello}\n"};
  auto more
    = GENERATE(std::vector<std::string>{"--later", "--wait", "1s",
                                        "--wait-until", "2030-01-01T00:00:00Z"},
               std::vector<std::string>{"--later", "--wait-until", "tomorrow"},
               std::vector<std::string>{"--later", "--wait", "soon"},
               std::vector<std::string>{"--wait", "1s"},
               std::vector<std::string>{"--queue", "night"});
  auto arguments = std::vector<std::string>{"run", "guide.yaml", "hi"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  CHECK(place.run(arguments).code == 2);
  CHECK(parsed(place.run({"runs", "list", "--json"})).empty());
}

TEST_CASE("workers share what is queued", "[runs]") {
  place place{R"(
  - reply: {tool_calls: [{id: c1, name: shell, arguments: {command: "echo x >> log"}}]}
  - reply: {text: "Done."}
)"};
  for (auto i = 0; i < 12; ++i)
    place.run({"run", "guide.yaml", "go", "--later"});
  auto start = [&] {
    auto spec = program::spec{};
    spec.arguments = {"work", "--once", "--json"};
    spec.folder = place.folder().path();
    return spec;
  };
  program one{start()};
  program two{start()};
  program three{start()};
  auto taken = size_t{0};
  for (auto* worker : {&one, &two, &three})
    taken += lines_of(worker->wait().out).size();
  CHECK(taken == 12);
  auto log = place.folder().read("log");
  CHECK(std::count(log.begin(), log.end(), 'x') == 12);
}

TEST_CASE("a run of another process is cancelled and followed", "[runs]") {
  place place{waiting};
  auto spec = program::spec{};
  spec.folder = place.folder().path();
  spec.arguments = {"run", "guide.yaml", "go", "--json"};
  program running{spec};
  REQUIRE(eventually([&] { return !place.folder().read("started").empty(); }));
  auto list
    = parsed(place.run({"runs", "list", "--status", "running", "--json"}));
  REQUIRE(list.size() == 1);
  auto id = list[0]["run_id"].get<std::string>();
  // Its owner lives: it is nobody else's.
  CHECK(place.run({"runs", "reconcile"}).out == "0\n");
  CHECK(place.run({"runs", "resume", id}).code == 2);
  spec.arguments = {"runs", "logs", id, "--follow", "--json"};
  program following{spec};
  REQUIRE(following.wait_for_output("tool_call"));
  CHECK(parsed(place.run({"runs", "cancel", id, "--json"}))["status"]
        == "cancelled");
  CHECK(running.wait().code == 130);
  auto lines = lines_of(following.wait().out);
  CHECK(lines.back()["type"] == "run_cancel");
}

TEST_CASE("runs are listed by what they are, and pruned when asked", "[runs]") {
  place place{"  - reply: {text: hello}\n  - error: {kind: auth}\n"};
  auto first = parsed(place.run({"run", "guide.yaml", "one", "--json"}));
  auto list = [&](std::vector<std::string> more) {
    auto arguments = std::vector<std::string>{"runs", "list", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parsed(place.run(arguments)).size();
  };
  place.run({"run", "guide.yaml", "two"});
  CHECK(list({}) == 2);
  CHECK(list({"--limit", "1"}) == 1);
  CHECK(list({"--status", "completed"}) == 2);
  CHECK(list({"--status", "failed"}) == 0);
  CHECK(list({"--name", "guide", "--kind", "agent"}) == 2);
  CHECK(list({"--name", "other"}) == 0);
  CHECK(list({"--since", "1h"}) == 2);
  CHECK(list({"--since", "2100-01-01T00:00:00Z"}) == 0);
  CHECK(place.run({"runs", "list", "--since", "never"}).code == 2);
  CHECK(place.run({"runs", "list", "--status", "odd"}).code == 2);
  CHECK(place.run({"runs", "show", "nonsense"}).code == 2);
  CHECK(place.run({"runs", "prune", "--older-than", "30d"}).out == "0\n");
  CHECK(
    place.run({"runs", "prune", "--older-than", "0s", "--status", "failed"}).out
    == "0\n");
  CHECK(place.run({"runs", "prune", "--older-than", "0s"}).out == "2\n");
  CHECK(list({}) == 0);
  // Conversations are not runs.
  CHECK(messages_of(place, first).size() == 2);
}
