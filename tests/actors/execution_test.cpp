#include "support/sample_blocks.hpp"

#include "troupe/runtime/co/failure.hpp"

#include "actors/execution_bench.hpp"

#include <algorithm>
#include <future>
#include <memory>

using namespace troupe;
using namespace std::chrono_literals;
using test::bench;
using test::read_until;
using test::request_of;

namespace {

/// Two turns, the first of which takes its time.
constexpr auto slow_then_more = R"(
exchanges:
  - reply: {text: "early", delay: 300ms}
  - expect: {last_user: "also"}
    reply: {text: "late {{input}}"}
)";

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

/// A tool "nap" that ends when somebody wakes it.
class sleeper {
public:
  tool as_tool() const {
    auto spec = tool_spec{};
    spec.name = "nap";
    spec.description = "Sleeps.";
    spec.blocking = true;
    auto body = [awake = awake_](tool_context, std::string) {
      awake.wait();
      return std::string{"\"rested\""};
    };
    return tool{std::move(spec), tool::function{std::move(body)}};
  }

  void wake() {
    wake_.set_value();
  }

private:
  std::promise<void> wake_;
  std::shared_future<void> awake_ = wake_.get_future().share();
};

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
  auto nap = sleeper{};
  x.calc().use(nap.as_tool());
  auto run = x.start().start(request_of("Q", true));
  read_until(run, event_type::tool_call);
  auto ticket = run.interject("also");
  nap.wake();
  CHECK(ticket.wait() == interjection_outcome::delivered);
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
  CHECK_FALSE(ticket.is_known_within(0ms));
  run.cancel();
  CHECK(ticket.wait() == interjection_outcome::next_input);
  CHECK(run.wait().status == run_status::cancelled);
  CHECK(said_in(x.host()) == texts{"Q", "also"});
}

TEST_CASE("what is said while a run closes is the next one's, too",
          "[execution]") {
  auto x = bench{"exchanges:\n  - reply: {text: done}\n"};
  auto begun = std::promise<void>{};
  auto may_end = std::promise<void>{};
  auto resources = std::make_shared<run_resources>();
  resources->add("slow", [&] {
    begun.set_value();
    may_end.get_future().wait();
  });
  auto run = x.start().start(request_of("Q"), resources);
  begun.get_future().wait();
  auto ticket = run.interject("also");
  may_end.set_value();
  CHECK(ticket.wait() == interjection_outcome::next_input);
  CHECK(run.wait().response == "done");
  CHECK(said_in(x.host()) == texts{"Q", "done", "also"});
}

TEST_CASE("several things are heard in the order in which they were said",
          "[execution]") {
  auto x = bench{R"(
exchanges:
  - reply: {tool_calls: [{name: nap, arguments: {}}]}
  - reply: {text: "heard"}
)"};
  auto nap = sleeper{};
  x.calc().use(nap.as_tool());
  auto run = x.start().start(request_of("Q", true));
  read_until(run, event_type::tool_call);
  auto tickets = std::vector<interjection_ticket>{};
  for (auto i = 0; i < 20; ++i)
    tickets.push_back(run.interject(std::to_string(i)));
  nap.wake();
  for (auto& one : tickets)
    CHECK(one.wait() == interjection_outcome::delivered);
  run.wait();
  auto said = said_in(x.host());
  REQUIRE(said.size() == 24);
  for (size_t i = 0; i < 20; ++i)
    CHECK(said[3 + i] == std::to_string(i));
}

TEST_CASE("what cannot be said is refused, and the run goes on",
          "[execution]") {
  auto x = bench{R"(
model: {images: false}
exchanges:
  - reply: {tool_calls: [{name: nap, arguments: {}}]}
  - reply: {text: "done"}
)"};
  auto nap = sleeper{};
  x.calc().use(nap.as_tool());
  auto run = x.start().start(request_of("Q", true));
  read_until(run, event_type::tool_call);
  auto kind_of = [](interjection_ticket ticket) {
    try {
      ticket.wait();
    } catch (const co::failure& why) {
      return to_fault(why.reason()).kind;
    }
    return errc::internal;
  };
  CHECK(kind_of(run.interject("")) == errc::configuration);
  auto broken = content_block{};
  broken.media_type = "image/png";
  CHECK(kind_of(run.interject("see", {broken})) == errc::configuration);

  CHECK(kind_of(run.interject("see", {test::image_block()}))
        == errc::configuration);
  nap.wake();
  CHECK(run.wait().response == "done");
  CHECK(said_in(x.host()) == texts{"Q", "", "\"rested\"", "done"});
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

TEST_CASE("who comes late sees a participant speak all the same",
          "[execution]") {
  auto nap = sleeper{};
  auto x = bench{R"(
exchanges:
  - reply: {tool_calls: [{name: nap, arguments: {}}]}
  - reply: {text: "heard"}
)"};
  x.calc().use(nap.as_tool());
  auto inner = steps{"inner"}.invoke("calc", x.calc());
  auto outer = steps{"outer"}.invoke("inner", inner);
  auto request = run_request{};
  request.input = "Q";
  auto run = x.start().start(outer, request);
  auto late = run.follow();
  auto spoken = std::string{};
  while (auto event = late.next()) {
    if (event->type == event_type::tool_call && event->source)
      nap.wake();
    if (event->type == event_type::text_delta && event->source)
      spoken += event->text;
  }
  CHECK(spoken == "heard");
  CHECK(run.wait().response == "heard");
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
