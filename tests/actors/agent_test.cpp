#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/actors/troupe.hpp"

#include <boost/describe.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

struct sum {
  double a = 0;
  double b = 0;
};

BOOST_DESCRIBE_STRUCT(sum, (), (a, b))

double add(sum x) {
  return x.a + x.b;
}

struct nothing {};

BOOST_DESCRIBE_STRUCT(nothing, (), ())

std::string fail_openly(nothing) {
  throw tool_error{"the disk is upside down"};
}

std::string fail_secretly(nothing) {
  throw std::runtime_error{"password=hunter2"};
}

co::task<std::string> sleep_long(tool_context context, nothing) {
  co_await context.sleep(1h);
  co_return std::string{"awake"};
}

/// A runtime with one agent, "calc", whose model plays `cassette`.
class bench {
public:
  explicit bench(const std::string& cassette) {
    file_ = folder_.write("model.yaml", "cassette: 1\n" + cassette);
    options_.settings.storage.in_memory = true;
    options_.settings.permissions.mode = permission_mode::auto_allow;
    calc_.model("cassette:" + file_).system_prompt("You calculate.");
    calc_.use(make_tool("add", "Adds.", add));
  }

  agent& calc() {
    return calc_;
  }

  runtime_options& options() {
    return options_;
  }

  runtime& start() {
    options_.agents = {calc_};
    runtime_ = std::make_unique<runtime>(options_);
    return *runtime_;
  }

  run_object ask(const std::string& prompt, const std::string& session = "s") {
    if (!runtime_)
      start();
    auto request = run_request{};
    request.agent = "calc";
    request.input = prompt;
    request.session_id = session;
    return runtime_->ask(request);
  }

  std::vector<chat_message_ptr> messages(const std::string& session = "s") {
    auto result = runtime_->messages({"calc", session, ""});
    REQUIRE(result);
    return *result;
  }

private:
  test::temp_dir folder_;
  std::string file_;
  runtime_options options_;
  agent calc_{"calc"};
  std::unique_ptr<runtime> runtime_;
};

constexpr auto two_turns = R"(
exchanges:
  - reply: {tool_calls: [{id: c1, name: add, arguments: {a: 2, b: 3}}], usage: {input_tokens: 7, output_tokens: 3}}
  - reply: {text: "It is {{last_tool}}.", usage: {input_tokens: 9, output_tokens: 4}}
)";

std::vector<run_event> read_all(execution& run) {
  auto result = std::vector<run_event>{};
  while (auto event = run.next())
    result.push_back(std::move(*event));
  return result;
}

/// Every call has exactly one result right behind its message, in order.
void check_pairing(const std::vector<chat_message_ptr>& messages) {
  for (size_t i = 0; i < messages.size(); ++i) {
    const auto& calls = messages[i]->calls;
    for (size_t k = 0; k < calls.size(); ++k) {
      REQUIRE(i + 1 + k < messages.size());
      const auto& result = *messages[i + 1 + k];
      CHECK(result.role == message_role::tool);
      CHECK(result.call_id == calls[k].id);
    }
    if (messages[i]->role == message_role::tool)
      continue;
    auto next = i + 1 + calls.size();
    if (next < messages.size())
      CHECK(messages[next]->role != message_role::tool);
  }
}

} // namespace

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
    if (event->type == event_type::tool_result && event->call.name == "add")
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
  CHECK(messages[2]->text.find("there is no tool") != std::string::npos);
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
