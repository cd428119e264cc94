#include "support/catch.hpp"

#include "contract/place.hpp"
#include <nlohmann/json.hpp>

#include <csignal>
#include <sstream>

using namespace troupe;
using nlohmann::json;
using test::lines_of;
using test::place;

namespace {

constexpr auto reading = R"(
  - reply: {tool_calls: [{id: c1, name: read_file, arguments: {path: notes.txt}}], usage: {input_tokens: 5, output_tokens: 2}}
  - reply: {text: "It has {{last_tool.total_lines}} lines.", chunk: 4}
)";

constexpr auto sleeping = R"(
  - reply: {text: "Now. ", tool_calls: [{id: c1, name: shell, arguments: {command: "echo $$ > pid; sleep 1000 & echo $! > pid2; wait"}}]}
  - reply: {text: "Never."}
)";

pid_t read_pid(const test::temp_dir& folder, const char* name) {
  auto text = std::istringstream{folder.read(name)};
  auto result = pid_t{0};
  text >> result;
  return result;
}

} // namespace

TEST_CASE("run prints the answer on stdout and progress on stderr",
          "[contract]") {
  place place{reading};
  auto done = place.run({"run", "guide.yaml", "How many lines?"});
  CHECK(done.code == 0);
  CHECK(done.out == "It has 3 lines.\n");
  CHECK(done.err.find("read_file") != std::string::npos);
  CHECK(done.err.find('\x1B') == std::string::npos);
}

TEST_CASE("run takes its prompt from stdin", "[contract]") {
  place place{"  - {expect: {last_user: piped}, reply: {text: ok}}\n"};
  CHECK(place.run({"run", "guide.yaml"}, "piped text").out == "ok\n");
  CHECK(place.run({"run", "guide.yaml", "-"}, "piped text").out == "ok\n");
}

TEST_CASE("run --json prints one run object and nothing else", "[contract]") {
  place place{reading};
  auto done = place.run(
    {"run", "guide.yaml", "go", "--json", "--session", "s1", "--actor", "ann"});
  CHECK(done.code == 0);
  auto run = json::parse(done.out);
  CHECK(run["kind"] == "agent");
  CHECK(run["name"] == "guide");
  CHECK(run["status"] == "completed");
  CHECK(run["session_id"] == "s1");
  CHECK(run["actor_id"] == "ann");
  CHECK(run["input"] == "go");
  CHECK(run["response"] == "It has 3 lines.");
  CHECK(run["output"] == "It has 3 lines.");
  CHECK(run["usage"]["model_requests"] == 2);
  CHECK(run["usage"]["tool_calls"] == 1);
  CHECK(run["usage"]["input_tokens"] == 5);
  CHECK(run["steps"].size() == 1);
  CHECK(run["steps"][0]["participant"] == "guide");
  CHECK(run["error"].is_null());
  CHECK(run["suspension"].is_null());
  CHECK(run["run_id"].get<std::string>().size() == 36);
  CHECK(run["run_id"].get<std::string>()[14] == '7');
}

TEST_CASE("run --events prints every event, numbered without gaps",
          "[contract]") {
  place place{reading};
  auto done = place.run({"run", "guide.yaml", "go", "--events"});
  CHECK(done.code == 0);
  auto events = lines_of(done.out);
  auto seq = 0;
  auto text = std::string{};
  for (const auto& event : events) {
    if (event["type"] == "text_delta") {
      CHECK(event["seq"].is_null());
      text += event["data"]["text"].get<std::string>();
      continue;
    }
    CHECK(event["seq"] == ++seq);
  }
  CHECK(text == "It has 3 lines.");
  REQUIRE(seq > 5);
  CHECK(events.front()["type"] == "run_start");
  CHECK(events.back()["type"] == "run_stop");
}

TEST_CASE("an error of the provider keeps its status wherever it is told",
          "[contract]") {
  place place{R"(
  - error: {kind: rate_limit, status: 429, retry_after: 1ms}
  - error: {kind: auth, status: 401}
  - reply: {text: never}
)"};
  auto done = place.run({"run", "guide.yaml", "hi", "--events"});
  CHECK(done.code == 1);
  auto found = std::vector<json>{};
  for (const auto& event : lines_of(done.out))
    if (event["data"].contains("error"))
      found.push_back(event["data"]["error"]);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["status"] == 429);
  CHECK(found[0]["retryable"] == true);
  CHECK(found[1]["status"] == 401);
  CHECK(found[1]["retryable"] == false);
}

TEST_CASE("piped text is the prompt without the end of its last line",
          "[contract]") {
  place place{"  - reply: {text: \"<{{input}}>\"}\n"};
  CHECK(place.run({"run", "guide.yaml"}, "one\ntwo\n").out == "<one\ntwo>\n");
  CHECK(place.run({"run", "guide.yaml", "-"}, "one").out == "<one>\n");
}

TEST_CASE("a second process remembers the session of the first", "[contract]") {
  place place{R"(
  - reply: {text: "Hello."}
  - {expect: {last_user: again}, reply: {text: "Hello again."}}
)"};
  CHECK(place.run({"run", "guide.yaml", "hi", "--session", "s"}).out
        == "Hello.\n");
  CHECK(place.run({"run", "guide.yaml", "again", "--session", "s"}).out
        == "Hello again.\n");
  auto list = place.run({"sessions", "list", "--json"});
  auto sessions = json::parse(list.out);
  REQUIRE(sessions.size() == 1);
  CHECK(sessions[0]["session_id"] == "s");
  auto shown = json::parse(place.run({"sessions", "show", "s", "--json"}).out);
  CHECK(shown["agent"] == "guide");
  CHECK(shown["actor_id"].is_null());
  REQUIRE(shown["messages"].size() == 4);
  CHECK(shown["messages"][0]["role"] == "user");
  CHECK(shown["messages"][0]["content"][0]
        == json({{"type", "text"}, {"text", "hi"}}));
  CHECK(shown["messages"][3]["seq"] == 4);
  CHECK(place.run({"sessions", "delete", "s"}).code == 0);
  CHECK(json::parse(place.run({"sessions", "list", "--json"}).out).empty());
}

TEST_CASE("two actors with one session id never see each other", "[contract]") {
  place place{"  - reply: {text: \"First.\"}\n"};
  auto ask = [&](const char* actor) {
    return place.run(
      {"run", "guide.yaml", "hi", "--session", "s", "--actor", actor});
  };
  CHECK(ask("ann").out == "First.\n");
  CHECK(ask("bob").out == "First.\n");
  auto both = place.run({"sessions", "show", "s", "--json"});
  CHECK(both.code != 0);
  auto one = json::parse(
    place.run({"sessions", "show", "s", "--json", "--actor", "bob"}).out);
  CHECK(one["actor_id"] == "bob");
  CHECK(one["messages"].size() == 2);
}

TEST_CASE("a run that fails says so and exits with 1", "[contract]") {
  place place{"  - error: {kind: auth, status: 401}\n"};
  auto done = place.run({"run", "guide.yaml", "hi"});
  CHECK(done.code == 1);
  CHECK(done.err.find("troupe: auth: ") == 0);
  auto json_form
    = json::parse(place.run({"run", "guide.yaml", "hi", "--json"}).out);
  CHECK(json_form["status"] == "failed");
  CHECK(json_form["error"]["kind"] == "auth");
  CHECK(json_form["error"]["status"] == 401);
}

TEST_CASE("what is wrong before a run exits with 2 and runs nothing",
          "[contract]") {
  place place{reading};
  auto check = [&](std::vector<std::string> arguments, const char* says) {
    auto done = place.run(std::move(arguments));
    CHECK(done.code == 2);
    CHECK(done.out.empty());
    CHECK(done.err.find("troupe: ") == 0);
    CHECK(done.err.find(says) != std::string::npos);
  };
  check({"run"}, "AGENT");
  check({"run", "nobody", "hi"}, "no agent");
  check({"run", "missing.yaml", "hi"}, "missing.yaml");
  check({"run", "guide.yaml", "hi", "--deadline", "soon"}, "--deadline");
  check({"run", "guide.yaml", "hi", "--permission", "maybe"}, "permission");
  check({"run", "guide.yaml", "hi", "--set", "temperature"}, "KEY=VALUE");
  check({"run", "guide.yaml", "hi", "--config", "none.yaml"}, "none.yaml");
  check({"run", "guide.yaml", "hi", "--json", "--events"}, "--events");
  check({"frobnicate"}, "frobnicate");
  place.folder().write("typo.yaml", "agent: typo\nmodel: cassette:model.yaml\n"
                                    "system_promt: x\n");
  check({"run", "typo.yaml", "hi"}, "typo.yaml:3:1");
  place.folder().write("tool.yaml", "agent: t\nmodel: cassette:model.yaml\n"
                                    "tools: [red_file]\n");
  check({"run", "tool.yaml", "hi"}, "red_file");
}

TEST_CASE("a deadline makes a run partial and the exit code 3", "[contract]") {
  place place{sleeping};
  auto done
    = place.run({"run", "guide.yaml", "hi", "--json", "--deadline", "300ms"});
  CHECK(done.code == 3);
  CHECK(json::parse(done.out)["status"] == "partial");
  CHECK_FALSE(test::is_alive(read_pid(place.folder(), "pid2")));
}

TEST_CASE("Ctrl-C cancels the run and leaves no process", "[contract]") {
  place place{sleeping};
  auto what = test::program::spec{};
  what.arguments = {"run", "guide.yaml", "hi", "--json", "--session", "s"};
  what.folder = place.folder().path();
  test::program running{what};
  REQUIRE(
    test::eventually([&] { return read_pid(place.folder(), "pid2") != 0; }));
  auto child = read_pid(place.folder(), "pid2");
  CHECK(test::is_alive(child));
  running.signal(SIGINT);
  auto done = running.wait();
  CHECK(done.code == 130);
  CHECK(json::parse(done.out)["status"] == "cancelled");
  CHECK_FALSE(test::is_alive(child));
  auto shown = json::parse(place.run({"sessions", "show", "s", "--json"}).out);
  // The call that was cut off has its one result.
  REQUIRE(shown["messages"].size() == 3);
  CHECK(shown["messages"][2]["content"][0]["error"] == true);
}

TEST_CASE("a second Ctrl-C and a SIGKILL leave no process either",
          "[contract]") {
  auto signals = GENERATE(std::vector<int>{SIGINT, SIGINT},
                          std::vector<int>{SIGKILL});
  // A command that ignores what would end it in peace.
  place place{R"(
  - reply: {tool_calls: [{id: c1, name: shell, arguments: {command: "trap '' TERM INT HUP; (trap '' TERM; sleep 1000) & echo $! > pid2; setsid sleep 1001 & echo $! > pid; wait"}}]}
)"};
  auto what = test::program::spec{};
  what.arguments = {"run", "guide.yaml", "hi"};
  what.folder = place.folder().path();
  test::program running{what};
  REQUIRE(test::eventually([&] {
    return read_pid(place.folder(), "pid") != 0
           && read_pid(place.folder(), "pid2") != 0;
  }));
  for (auto signal : signals)
    running.signal(signal);
  CHECK(running.wait().code >= 128);
  for (const auto* name : {"pid", "pid2"}) {
    auto child = read_pid(place.folder(), name);
    CHECK(test::eventually([&] { return !test::is_alive(child); }));
  }
}

TEST_CASE("ask denies where there is no terminal", "[contract]") {
  place place{R"(
  - reply: {tool_calls: [{id: c1, name: write_file, arguments: {path: x, content: y}}]}
  - reply: {text: "{{last_tool.error}}"}
)",
              "permissions: {mode: ask}\nsandbox: {provider: unrestricted}\n"};
  auto done = place.run({"run", "guide.yaml", "hi"});
  CHECK(done.code == 0);
  CHECK(done.out.find("permission denied: write") == 0);
  CHECK(place.folder().read("x").empty());
  auto allowed = place.run({"run", "guide.yaml", "hi", "--permission", "auto"});
  CHECK(place.folder().read("x") == "y");
}

TEST_CASE("chat holds a conversation until its input ends", "[contract]") {
  place place{R"(
  - {expect: {last_user: hi}, reply: {text: "Hello."}}
  - {expect: {last_user: bye}, reply: {text: "Goodbye."}}
)"};
  auto done = place.run({"chat", "guide.yaml", "--session", "c"}, "hi\nbye\n");
  CHECK(done.code == 0);
  CHECK(done.out == "Hello.\nGoodbye.\n");
}

TEST_CASE("--record writes a cassette that plays the same", "[contract]") {
  place place{reading};
  CHECK(place.run({"run", "guide.yaml", "go", "--record", "tape.yaml"}).code
        == 0);
  auto replayed
    = place.run({"run", "guide.yaml", "go", "--model", "cassette:tape.yaml"});
  CHECK(replayed.out == "It has 3 lines.\n");
}

TEST_CASE("every command has help with an example", "[contract]") {
  place place{reading};
  auto commands = std::vector<std::vector<std::string>>{
    {},
    {"run"},
    {"chat"},
    {"sessions"},
    {"sessions", "list"},
    {"sessions", "show"},
    {"sessions", "export"},
    {"sessions", "import"},
    {"sessions", "fork"},
    {"sessions", "delete"},
    {"sessions", "prune"},
    {"config"},
    {"config", "check"},
    {"config", "show"},
    {"doctor"},
  };
  for (auto command : commands) {
    command.push_back("--help");
    auto done = place.run(command);
    CHECK(done.code == 0);
    CHECK(done.out.find("Example: troupe") != std::string::npos);
  }
  auto version = place.run({"--version"});
  CHECK(version.code == 0);
  CHECK(version.out.find("troupe 0.") == 0);
}

TEST_CASE("config show masks what is secret and check says what is wrong",
          "[contract]") {
  place place{reading};
  place.folder().write("troupe.yaml", R"(version: 1
providers:
  primary: {adapter: openai, base_url: "https://api.example.com/v1", api_key: "${KEY}"}
default_model: "primary:m"
)");
  auto shown = place.run({"config", "show"}, {}, {"KEY=sk-very-secret"});
  CHECK(shown.code == 0);
  CHECK(shown.out.find("sk-very-secret") == std::string::npos);
  CHECK(shown.out.find("***") != std::string::npos);
  CHECK(place.run({"config", "check"}, {}, {"KEY=k"}).code == 0);
  auto missing = place.run({"config", "check"});
  CHECK(missing.code == 2);
  CHECK(missing.err.find("KEY") != std::string::npos);
  place.folder().write("bad.yaml", "version: 1\nlimits: {max_turn: 3}\n"
                                   "concurency: {}\n");
  auto bad = place.run({"config", "check", "bad.yaml"});
  CHECK(bad.code == 2);
  CHECK(bad.err.find("max_turn") != std::string::npos);
  CHECK(bad.err.find("concurency") != std::string::npos);
  CHECK(bad.err.find("bad.yaml:2:") != std::string::npos);
}

TEST_CASE("doctor looks at what it needs", "[contract]") {
  place place{reading};
  auto done = place.run({"doctor", "--json"});
  CHECK(done.code == 0);
  auto findings = json::parse(done.out);
  CHECK(findings.size() >= 4);
  for (const auto& one : findings)
    CHECK((one["ok"] == true || one["needed"] == false));
}
