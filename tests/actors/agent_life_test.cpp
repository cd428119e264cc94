#include "support/catch.hpp"

#include "actors/agent_bench.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a deadline ends a run as partial with what there is", "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: add, arguments: {a: 1, b: 1}}, {id: b, name: nap}]}
)"};
  bench.calc().use(make_tool("nap", "Sleeps.", sleep_long));
  bench.calc().deadline(100ms);
  auto run = bench.ask("go");
  CHECK(run.status == run_status::partial);
  auto messages = bench.messages();
  check_pairing(messages);
  CHECK(messages[2]->text == "2.0");
  CHECK(messages[3]->text.find("deadline") != std::string::npos);
}

TEST_CASE("a cancelled run ends cancelled and keeps what was done", "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: add, arguments: {a: 1, b: 1}}, {id: b, name: nap}]}
  - reply: {text: "Never."}
)"};
  bench.calc().use(make_tool("nap", "Sleeps.", sleep_long));
  auto request = run_request{};
  request.agent = "calc";
  request.input = "go";
  request.session_id = "s";
  request.with_events = true;
  auto run = bench.start().start(request);
  auto last = std::optional<run_event>{};
  while (auto event = run.next()) {
    // The quick tool has finished, the slow one has not.
    if (event->type == event_type::tool_result && event->call->name == "add")
      run.cancel("enough");
    last = std::move(event);
  }
  REQUIRE(last);
  CHECK(last->type == event_type::run_cancel);
  auto object = run.wait();
  CHECK(object.status == run_status::cancelled);
  CHECK(object.error.message == "enough");
  auto messages = bench.messages();
  check_pairing(messages);
  CHECK(messages[2]->text == "2.0");
  CHECK(messages[3]->text.find("cancelled") != std::string::npos);
  // Once more changes nothing.
  run.cancel();
  CHECK(run.wait().status == run_status::cancelled);
  CHECK(bench.messages().size() == messages.size());
}

TEST_CASE("a run that waits for its session's turn has said that it started",
          "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: b, name: nap}]}
)"};
  bench.calc().use(make_tool("nap", "Sleeps.", sleep_long));
  auto request = run_request{};
  request.agent = "calc";
  request.input = "go";
  request.session_id = "s";
  request.with_events = true;
  auto& host = bench.start();
  auto first = host.start(request);
  while (auto event = first.next())
    if (event->type == event_type::tool_call)
      break;
  auto second = host.start(request);
  auto event = second.next();
  REQUIRE(event);
  CHECK(event->type == event_type::run_start);
  second.cancel();
  CHECK(second.wait().status == run_status::cancelled);
  first.cancel();
  CHECK(first.wait().status == run_status::cancelled);
}

TEST_CASE("cancelling in the middle of an answer keeps what was said",
          "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {text: "one two three four", chunk: 4, chunk_delay: 20s}
)"};
  auto request = run_request{};
  request.agent = "calc";
  request.input = "go";
  request.session_id = "s";
  request.with_events = true;
  auto run = bench.start().start(request);
  while (auto event = run.next())
    if (event->type == event_type::text_delta)
      run.cancel();
  CHECK(run.wait().status == run_status::cancelled);
  auto messages = bench.messages();
  REQUIRE(messages.size() == 2);
  CHECK(messages[1]->text == "one ");
}

TEST_CASE("a runtime that closes cancels its runs", "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: b, name: nap}]}
)"};
  bench.calc().use(make_tool("nap", "Sleeps.", sleep_long));
  bench.options().agents = {bench.calc()};
  auto host = std::make_unique<runtime>(bench.options());
  auto mutex = std::mutex{};
  auto done = std::condition_variable{};
  auto status = std::optional<run_status>{};
  auto request = run_request{};
  request.agent = "calc";
  request.input = "go";
  host->start_async(request, [&](caf::expected<run_object> x) {
    auto guard = std::lock_guard{mutex};
    status = x ? x->status : run_status::failed;
    done.notify_all();
  });
  host.reset();
  auto lock = std::unique_lock{mutex};
  REQUIRE(done.wait_for(lock, 30s, [&] { return status.has_value(); }));
  CHECK((status == run_status::cancelled || status == run_status::failed));
}

TEST_CASE("tools marked exclusive never overlap", "[agent]") {
  static std::atomic<int> inside = 0;
  static std::atomic<int> most = 0;

  struct guarded {
    static co::task<std::string> run(tool_context context, nothing) {
      most = std::max(most.load(), ++inside);
      co_await context.sleep(10ms);
      --inside;
      co_return std::string{"ok"};
    }
  };

  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: one}, {id: b, name: two}, {id: c, name: one}]}
  - reply: {text: "Done."}
)"};
  auto spec = tool_spec{};
  spec.exclusive = true;
  spec.name = "one";
  bench.calc().use(make_tool(spec, guarded::run));
  spec.name = "two";
  bench.calc().use(make_tool(spec, guarded::run));
  CHECK(bench.ask("go").status == run_status::completed);
  CHECK(most == 1);
  check_pairing(bench.messages());
}

TEST_CASE("what was registered on a run is closed with it, last first",
          "[agent]") {
  bench bench{two_turns};
  auto order = std::vector<std::string>{};
  auto resources = std::make_shared<run_resources>();
  resources->add("first", [&] { order.push_back("first"); });
  resources->add("broken", [] { throw std::runtime_error{"stuck"}; });
  resources->add("last", [&] { order.push_back("last"); });
  auto request = run_request{};
  request.agent = "calc";
  request.input = "go";
  auto run = bench.start().start(request, resources).wait();
  CHECK(run.status == run_status::completed);
  CHECK(order == std::vector<std::string>{"last", "first"});
  CHECK(run.cleanup_failures == std::vector<std::string>{"broken: stuck"});
}

TEST_CASE("two runtimes in one process do not meet", "[agent]") {
  bench one{"\nexchanges:\n  - reply: {text: \"one\"}\n"};
  bench two{"\nexchanges:\n  - reply: {text: \"two\"}\n"};
  CHECK(one.ask("hi").response == "one");
  CHECK(two.ask("hi").response == "two");
  CHECK(one.messages().size() == 2);
  CHECK(two.messages()[1]->text == "two");
}

namespace {

std::atomic<int> blocked_inside = 0;

std::string block_long(tool_context context, nothing) {
  ++blocked_inside;
  while (!context.cancelled())
    std::this_thread::sleep_for(1ms); // what a library call would do
  --blocked_inside;
  return "stopped";
}

} // namespace

TEST_CASE("a blocking call that takes too long is over before its run is",
          "[agent]") {
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: block}]}
  - reply: {text: "{{last_tool.error}}"}
)"};
  auto spec = tool_spec{};
  spec.name = "block";
  spec.blocking = true;
  spec.timeout = 20ms;
  bench.calc().use(make_tool(spec, block_long));
  auto run = bench.ask("go");
  CHECK(run.status == run_status::completed);
  CHECK(run.response.find("longer") != std::string::npos);
  CHECK(blocked_inside == 0);
}

TEST_CASE("what is hidden from the model is told to the operator", "[agent]") {
  auto mutex = std::mutex{};
  auto lines = std::string{};
  bench bench{R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: secret}]}
  - reply: {text: "{{last_tool.error}}"}
)"};
  bench.calc().use(make_tool("secret", "Fails.", fail_secretly));
  bench.options().on_log = [&](log_level, const std::string& line) {
    auto guard = std::lock_guard{mutex};
    lines += line + "\n";
  };
  CHECK(bench.ask("go").response == "the tool failed");
  auto guard = std::lock_guard{mutex};
  CHECK(lines.find("hunter2") != std::string::npos);
}
