#include "troupe/runtime/co/failure.hpp"

#include "actors/agent_bench.hpp"

#include <algorithm>
#include <thread>

using namespace troupe;
using namespace std::chrono_literals;
using test::bench;

namespace {

/// Two turns, the first of which takes its time.
constexpr auto slow_then_more = R"(
exchanges:
  - reply: {text: "early", delay: 300ms}
  - expect: {last_user: "also"}
    reply: {text: "late {{input}}"}
)";

run_request request_of(const std::string& prompt, bool with_events = false) {
  auto result = run_request{};
  result.agent = "calc";
  result.input = prompt;
  result.session_id = "s";
  result.with_events = with_events;
  return result;
}

/// Waits for the first event of a type.
void read_until(execution& run, event_type type) {
  while (auto event = run.next())
    if (event->type == type)
      return;
  FAIL("there is no such event");
}

std::vector<std::string> said_in(runtime& host) {
  auto result = std::vector<std::string>{};
  auto found = host.messages({"calc", "s", ""});
  REQUIRE(found);
  for (const auto& one : *found)
    result.push_back(one->text);
  return result;
}

using texts = std::vector<std::string>;

std::vector<uint64_t> seqs_of(event_reader& reader) {
  auto result = std::vector<uint64_t>{};
  while (auto event = reader.next())
    if (event->seq > 0)
      result.push_back(event->seq);
  return result;
}

co::task<std::string> nap(tool_context context, test::nothing) {
  co_await context.sleep(300ms);
  co_return std::string{"rested"};
}

} // namespace

TEST_CASE("what is said while the last answer comes is answered, too",
          "[execution]") {
  auto x = bench{slow_then_more};
  auto run = x.start().start(request_of("Q", true));
  read_until(run, event_type::message_start);
  auto ticket = run.interject("also");
  CHECK(ticket.wait() == interjection_outcome::delivered);
  read_until(run, event_type::interjection);
  auto object = run.wait();
  CHECK(object.status == run_status::completed);
  CHECK(object.response == "late also");
  CHECK(said_in(x.host()) == texts{"Q", "early", "also", "late also"});
}

TEST_CASE("what is said during a turn with tools comes behind their results",
          "[execution]") {
  auto x = bench{R"(
exchanges:
  - reply: {tool_calls: [{name: nap, arguments: {}}]}
  - expect: {last_user: "also"}
    reply: {text: "heard"}
)"};
  x.calc().use(make_tool("nap", "Sleeps.", nap));
  auto run = x.start().start(request_of("Q", true));
  read_until(run, event_type::tool_call);
  CHECK(run.interject("also").wait() == interjection_outcome::delivered);
  CHECK(run.wait().response == "heard");
  CHECK(said_in(x.host()) == texts{"Q", "", "\"rested\"", "also", "heard"});
}

TEST_CASE("what a run ends before it hears is the next one's", "[execution]") {
  auto x = bench{R"(
exchanges:
  - reply: {text: "never", delay: 30s}
  - reply: {text: "next"}
)"};
  auto run = x.start().start(request_of("Q", true));
  read_until(run, event_type::message_start);
  auto ticket = run.interject("also");
  // It must have arrived: whoever is cancelled first has nothing to keep.
  CHECK_FALSE(ticket.is_known_within(50ms));
  run.cancel();
  CHECK(ticket.wait() == interjection_outcome::next_input);
  CHECK(run.wait().status == run_status::cancelled);
  CHECK(said_in(x.host()) == texts{"Q", "also"});
}

TEST_CASE("nobody hears what is said after the end", "[execution]") {
  auto x = bench{"exchanges:\n  - reply: {text: done}\n"};
  auto run = x.start().start(request_of("Q"));
  run.wait();
  auto ticket = run.interject("too late");
  CHECK_THROWS_AS(ticket.wait(), co::failure);
  CHECK(said_in(x.host()) == texts{"Q", "done"});
}

TEST_CASE("what is said overtakes what waits for the conversation",
          "[execution]") {
  auto x = bench{R"(
exchanges:
  - reply: {text: "one", delay: 300ms}
  - reply: {text: "two"}
  - reply: {text: "three"}
)"};
  auto& host = x.start();
  auto first = host.start(request_of("first", true));
  read_until(first, event_type::message_start);
  auto second = host.start(request_of("second"));
  auto ticket = first.interject("steer");
  second.wait();
  CHECK(ticket.wait() == interjection_outcome::delivered);
  CHECK(said_in(host)
        == texts{"first", "one", "steer", "two", "second", "three"});
}

TEST_CASE("readers come and go and begin anywhere", "[execution]") {
  auto x = bench{R"(
exchanges:
  - reply: {text: "some words", chunk: 1, chunk_delay: 20ms}
)"};
  auto run = x.start().start(request_of("Q"));
  auto early = run.follow();
  auto gone = std::optional{run.follow()};
  REQUIRE(gone->next());
  gone.reset();
  auto all = seqs_of(early);
  REQUIRE(all.size() > 3);
  for (size_t i = 0; i < all.size(); ++i)
    CHECK(all[i] == i + 1);
  auto late = run.follow();
  CHECK(seqs_of(late) == all);
  auto later = run.follow(all.size() - 2);
  CHECK(seqs_of(later) == std::vector<uint64_t>{all.size() - 1, all.size()});
  auto last = run.follow(all.size());
  CHECK_FALSE(last.next());
}

TEST_CASE("a reader who is slow loses no stored event", "[execution]") {
  auto exchanges = std::string{"exchanges:\n"};
  for (auto i = 0; i < 60; ++i)
    exchanges += "  - reply: {text: '" + std::string(200, 'x')
                 + "', chunk: 1, tool_calls: [{name: add, arguments: {a: "
                 + std::to_string(i) + ", b: 1}}]}\n";
  exchanges += "  - reply: {text: end}\n";
  auto x = bench{exchanges};
  x.calc().max_turns(100);
  auto run = x.start().start(request_of("Q"));
  auto slow = run.follow();
  REQUIRE(slow.next());
  auto object = run.wait(); // a window of events has long gone by
  CHECK(object.status == run_status::completed);
  auto rest = seqs_of(slow);
  auto stored = x.host().run_events(object.run_id, 0, 10'000);
  REQUIRE(stored);
  CHECK(rest.back() == stored->back().seq);
  CHECK(rest.size() == stored->size() - rest.front() + 1);
}

TEST_CASE("a run is waited for as long as one likes, and closed",
          "[execution]") {
  auto x = bench{"exchanges:\n  - reply: {text: done, delay: 30s}\n"};
  auto run = x.start().start(request_of("Q"));
  CHECK_FALSE(run.wait(20ms));
  CHECK(run.close().status == run_status::cancelled);
  CHECK(run.close().status == run_status::cancelled);
  CHECK(run.wait(1s));
}
