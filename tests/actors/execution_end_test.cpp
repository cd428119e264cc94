#include "troupe/runtime/co/failure.hpp"

#include "actors/execution_bench.hpp"

#include <optional>

using namespace troupe;
using namespace std::chrono_literals;
using test::bench;
using test::read_until;
using test::request_of;

namespace {

/// Turns that each call a tool, more of them than a reader may leave unread.
std::string many_turns(int count) {
  auto result = std::string{"exchanges:\n"};
  for (auto i = 0; i < count; ++i)
    result += "  - reply: {tool_calls: [{name: add, arguments: {a: "
              + std::to_string(i) + ", b: 1}}]}\n";
  return result + "  - reply: {text: done}\n";
}

run_status stored_status(runtime& host, const execution& run) {
  auto found = host.find_run(run.run_id());
  REQUIRE(found);
  return (*found)->status;
}

} // namespace

TEST_CASE("a run that waits for its conversation is ended, spoken to or not",
          "[execution]") {
  auto how = GENERATE(0, 1, 2);
  auto x = bench{R"(
exchanges:
  - reply: {text: "first", delay: 300ms}
)"};
  auto& host = x.start();
  auto first = host.start(request_of("one", true));
  read_until(first, event_type::message_start);
  auto request = request_of("two");
  if (how == 2)
    request.deadline = 20ms;
  auto second = host.start(request);
  auto ticket = second.interject("hello");
  if (how == 0)
    second.cancel("no need");
  if (how == 1)
    second.close();
  auto wanted = how == 2 ? run_status::partial : run_status::cancelled;
  CHECK(second.wait().status == wanted);
  CHECK(stored_status(host, second) == wanted);
  CHECK_THROWS_AS(ticket.wait(), co::failure);
  CHECK_THROWS_AS(ticket.wait(), co::failure);
  CHECK(ticket.is_known_within(0ms));
  CHECK(first.wait().response == "first");
}

TEST_CASE("of a run that has ended the object is there at once",
          "[execution]") {
  auto x = bench{"exchanges:\n  - reply: {text: \"done\"}\n"};
  auto run = x.start().start(request_of("Q"));
  CHECK(run.wait(caf::timespan::max()));
  for (auto i = 0; i < 200; ++i)
    CHECK(run.wait(i % 2 == 0 ? 0ms : -1ms));
}

TEST_CASE("a run that waits for somebody can be cancelled and closed",
          "[execution]") {
  auto closes = GENERATE(false, true);
  auto x = bench{R"(
exchanges:
  - reply: {tool_calls: [{id: c1, name: guarded, arguments: {}}]}
)"};
  auto spec = tool_spec{};
  spec.name = "guarded";
  spec.description = "Asks first.";
  spec.capability = "write";
  x.calc().use(
    tool{std::move(spec), tool::function{[](tool_context, std::string) {
           return std::string{"1"};
         }}});
  x.options().settings.permissions.mode = permission_mode::approve;
  auto& host = x.start();
  auto run = host.start(request_of("Q"));
  REQUIRE(run.wait().status == run_status::suspended);
  CHECK_THROWS_WITH(run.interject("hello").wait(),
                    Catch::Contains("say it when it is gone on with"));
  if (closes) {
    CHECK(run.close().status == run_status::cancelled);
  } else {
    run.cancel("no need");
    CHECK(run.wait().status == run_status::cancelled);
  }
  CHECK(stored_status(host, run) == run_status::cancelled);
}

TEST_CASE("a reader who falls behind pauses the run, one who goes does not",
          "[execution]") {
  auto x = bench{many_turns(600)};
  x.calc().max_turns(1000).max_tool_calls(1000);
  auto& host = x.start();
  auto run = std::optional{host.start(request_of("Q", true))};
  REQUIRE(run->next());
  CHECK_FALSE(run->wait(1s)); // it cannot have come to its end
  SECTION("he reads on") {
    auto last = event_type::run_start;
    while (auto event = run->next())
      last = event->type;
    CHECK(last == event_type::run_stop);
    CHECK(run->wait().response == "done");
  }
  SECTION("he goes") {
    auto id = run->run_id();
    auto follower = run->follow();
    run.reset();
    while (follower.next())
      ;
    auto found = host.find_run(id);
    REQUIRE(found);
    CHECK((*found)->status == run_status::completed);
  }
}

TEST_CASE("a definition that is made as it runs ends at some depth",
          "[execution]") {
  auto x = bench{"exchanges:\n  - reply: {text: \"done\"}\n"};
  auto& host = x.start();
  auto deep = steps{"s0"}.invoke("a", x.calc());
  for (auto i = 1; i < 40; ++i)
    deep = steps{"s" + std::to_string(i)}.invoke("a", deep);
  auto request = run_request{};
  request.input = "Q";
  auto object = host.ask(deep, request);
  CHECK(object.status == run_status::failed);
  CHECK(object.error.kind == errc::limit);
}
