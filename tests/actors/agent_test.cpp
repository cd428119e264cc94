#include "support/catch.hpp"

#include "actors/agent_bench.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("an agent calls its tool and answers with the result", "[agent]") {
  bench bench{two_turns};
  auto run = bench.ask("2+3?");
  CHECK(run.status == run_status::completed);
  CHECK(run.response == "It is 5.0.");
  CHECK(run.usage.model_requests == 2);
  CHECK(run.usage.tool_calls == 1);
  CHECK(run.usage.tokens.input_tokens == 16);
  CHECK(run.usage.tokens.output_tokens == 7);
  auto messages = bench.messages();
  REQUIRE(messages.size() == 4);
  CHECK(messages[0]->text == "2+3?");
  CHECK(messages[2]->text == "5.0");
  check_pairing(messages);
}

TEST_CASE("the events of a run are numbered and end with one terminal event",
          "[agent]") {
  bench bench{two_turns};
  auto request = run_request{};
  request.agent = "calc";
  request.input = "2+3?";
  request.with_events = true;
  auto run = bench.start().start(request);
  auto events = read_all(run);
  REQUIRE_FALSE(events.empty());
  auto seq = uint64_t{0};
  auto terminal = 0;
  for (const auto& event : events) {
    if (event.type != event_type::text_delta)
      CHECK(event.seq == ++seq);
    else
      CHECK(event.seq == 0);
    terminal += is_terminal(event.type) ? 1 : 0;
  }
  CHECK(terminal == 1);
  CHECK(events.front().type == event_type::run_start);
  CHECK(events.back().type == event_type::run_stop);
  CHECK(events.back().text == "It is 5.0.");
  CHECK_FALSE(run.next());
}

TEST_CASE("a session remembers what was said", "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {text: "Hello."}
  - {expect: {last_user: "again"}, reply: {text: "Hello again."}}
)"};
  CHECK(bench.ask("hi").response == "Hello.");
  CHECK(bench.ask("again").response == "Hello again.");
  CHECK(bench.messages().size() == 4);
  // Another session knows nothing of it.
  CHECK(bench.ask("hi", "other").response == "Hello.");
}

TEST_CASE("what a tool says is told, what it did not mean to say is not",
          "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: open}, {id: b, name: secret}, {id: c, name: nope}, {id: d, name: add, arguments: {a: "x"}}, {id: e, name: add, arguments: "[1]"}]}
  - reply: {text: "Oh."}
)"};
  bench.calc().use(make_tool("open", "Fails.", fail_openly));
  bench.calc().use(make_tool("secret", "Fails.", fail_secretly));
  auto run = bench.ask("go");
  CHECK(run.status == run_status::completed);
  auto messages = bench.messages();
  check_pairing(messages);
  REQUIRE(messages.size() == 8);
  CHECK(messages[2]->text == R"({"error":"the disk is upside down"})");
  CHECK(messages[3]->text == R"({"error":"the tool failed"})");
  CHECK(messages[4]->text.find("there is no tool") != std::string::npos);
  CHECK(messages[5]->text.find("invalid arguments") != std::string::npos);
  CHECK(messages[6]->text.find("not a JSON object") != std::string::npos);
  for (size_t i = 2; i < 7; ++i)
    CHECK(messages[i]->is_error);
}

TEST_CASE("two calls with one id are answered one by one", "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: x, name: add, arguments: {a: 1, b: 1}}, {id: x, name: add, arguments: {a: 2, b: 2}}]}
  - reply: {text: "Two."}
)"};
  CHECK(bench.ask("go").status == run_status::completed);
  auto messages = bench.messages();
  check_pairing(messages);
  CHECK(messages[2]->text == "2.0");
  CHECK(messages[3]->text == "4.0");
  CHECK(messages[2]->call_id != messages[3]->call_id);
}

TEST_CASE("a run that keeps calling ends with kind limit", "[agent]") {
  auto loop = std::string{"\nexchanges:\n"};
  for (int i = 0; i < 5; ++i)
    loop += "  - reply: {tool_calls: [{id: a" + std::to_string(i)
            + ", name: add, arguments: {a: 1, b: 1}}, {id: b"
            + std::to_string(i) + ", name: add, arguments: {a: 1, b: 2}}]}\n";
  SECTION("of turns") {
    bench bench{loop};
    bench.calc().max_turns(2);
    auto run = bench.ask("go");
    CHECK(run.status == run_status::failed);
    CHECK(run.error.kind == errc::limit);
    CHECK(run.usage.model_requests == 2);
    check_pairing(bench.messages());
  }
  SECTION("of tool calls, in the middle of a turn") {
    bench bench{loop};
    bench.calc().max_tool_calls(3);
    auto run = bench.ask("go");
    CHECK(run.status == run_status::failed);
    CHECK(run.error.kind == errc::limit);
    CHECK(run.usage.tool_calls == 3);
    auto messages = bench.messages();
    check_pairing(messages);
    CHECK(messages.back()->text.find("limit of 3 tool calls")
          != std::string::npos);
  }
}

TEST_CASE("an agent with what does not exist fails before anything runs",
          "[agent]") {
  auto message_of = [](bench& bench) {
    try {
      bench.start();
    } catch (const co::failure& why) {
      CHECK(to_fault(why.reason()).kind == errc::configuration);
      return render(to_fault(why.reason()));
    }
    return std::string{};
  };
  SECTION("a tool") {
    bench bench{two_turns};
    bench.calc().use("read_fil");
    CHECK(message_of(bench).find("read_fil") != std::string::npos);
  }
  SECTION("a model") {
    bench bench{two_turns};
    bench.calc().model("nowhere:gpt");
    CHECK(message_of(bench).find("nowhere") != std::string::npos);
  }
  SECTION("a tool twice") {
    bench bench{two_turns};
    bench.calc().use(make_tool("add", "Again.", add));
    CHECK(message_of(bench).find("twice") != std::string::npos);
  }
}

TEST_CASE("a denied tool is not offered and a call to it goes on", "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: write_file, arguments: {path: x, content: y}}]}
  - reply: {text: "All right."}
)"};
  bench.calc().use("read_file").use("write_file");
  bench.options().settings.permissions.mode = permission_mode::read_only;
  CHECK(bench.ask("go").status == run_status::completed);
  auto messages = bench.messages();
  CHECK(messages[2]->text.find("permission denied: ") != std::string::npos);
}

TEST_CASE("who is asked decides", "[agent]") {
  auto asked = std::vector<std::string>{};
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: write_file, arguments: {path: ./good, content: y}}]}
  - reply: {tool_calls: [{id: b, name: write_file, arguments: {path: bad, content: y}}]}
  - reply: {text: "Done."}
)"};
  bench.calc().use("write_file");
  bench.options().settings.permissions.mode = permission_mode::ask;
  bench.options().on_ask = [&](const permission_request& x) {
    asked.push_back(x.capability + " " + x.subject);
    return permission_answer{x.subject == "good" ? permission_verdict::allow
                                                 : permission_verdict::deny,
                             "no"};
  };
  CHECK(bench.ask("go").status == run_status::completed);
  CHECK(asked == std::vector<std::string>{"write good", "write bad"});
  auto messages = bench.messages();
  CHECK_FALSE(messages[2]->is_error);
  CHECK(messages[4]->text.find("permission denied: write")
        != std::string::npos);
}

namespace {

struct word {
  std::string text;
};

BOOST_DESCRIBE_STRUCT(word, (), (text))

std::string remember(tool_context context, word x) {
  auto before = context.state("words");
  context.set_state("words", before.empty()
                               ? "[\"" + x.text + "\"]"
                               : before.substr(0, before.size() - 1) + ",\""
                                   + x.text + "\"]");
  return context.state("words");
}

} // namespace

TEST_CASE("the run state is the session's, and each call's changes count in "
          "call order",
          "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: remember, arguments: {text: x}}]}
  - reply: {text: "{{last_tool}}"}
  - reply: {tool_calls: [{id: b, name: remember, arguments: {text: y}}]}
  - reply: {text: "{{last_tool}}"}
)"};
  bench.calc().use(make_tool("remember", "Remembers.", remember));
  CHECK(bench.ask("go").response == R"(["x"])");
  CHECK(bench.ask("go").response == R"(["x","y"])");
}
