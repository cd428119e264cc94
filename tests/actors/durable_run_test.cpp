#include "support/catch.hpp"

#include "caf/send.hpp"

#include "actors/agent_bench.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A store on the disk and an agent whose tool "act" counts its calls; the
/// first of them never ends.
struct world {
  explicit world(recovery_class recovery, const std::string& cassette = R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: add, arguments: {a: 1, b: 1}}, {id: b, name: act}]}
  - reply: {text: "Done."}
)")
    : on(cassette) {
    on.options().settings.storage.in_memory = false;
    on.options().settings.storage.path = folder.path() / "store";
    auto spec = tool_spec{};
    spec.name = "act";
    spec.recovery = recovery;
    on.calc().use(
      tool{std::move(spec),
           tool::coroutine{[this](tool_context context, std::string) {
             return act_once(this, std::move(context));
           }}});
  }

  static co::task<std::string> act_once(world* self, tool_context context) {
    self->keys.push_back(context.idempotency_key());
    if (++self->calls == 1) {
      self->started.set_value();
      co_await context.sleep(1h);
    }
    co_return std::string{"\"acted\""};
  }

  /// Starts a run and kills its actor in the middle of "act".
  std::string crash() {
    auto run = on.start().start(request());
    started.get_future().wait();
    while (auto event = run.next()) // the quick call has its result by then
      if (event->type == event_type::tool_result)
        break;
    auto id = run.run_id();
    caf::anon_send_exit(run.actor(), caf::exit_reason::kill);
    REQUIRE(await_status(id, run_status::interrupted));
    return id;
  }

  bool await_status(const std::string& id, run_status status) {
    for (auto i = 0; i < 2000; ++i) {
      auto found = host().find_run(id);
      if (found && *found && (*found)->status == status)
        return true;
      std::this_thread::sleep_for(5ms); // a bounded poll
    }
    return false;
  }

  run_request request() const {
    auto result = run_request{};
    result.agent = "calc";
    result.input = "go";
    result.session_id = "s";
    result.with_events = true;
    return result;
  }

  runtime& host() {
    return on.host();
  }

  temp_dir folder;
  bench on;
  std::atomic<int> calls = 0;
  std::vector<std::string> keys;
  std::promise<void> started;
};

resume_run resumption(const std::string& id) {
  auto result = resume_run{};
  result.run_id = id;
  result.with_events = true;
  return result;
}

/// Numbered from 1 without gaps, with one terminal event, the last.
void check_log(runtime& host, const std::string& id) {
  auto events = host.run_events(id);
  REQUIRE(events);
  REQUIRE_FALSE(events->empty());
  for (size_t i = 0; i < events->size(); ++i)
    CHECK((*events)[i].seq == i + 1);
  CHECK(is_terminal(events->back().type));
}

} // namespace

TEST_CASE("a call that a crash left open runs again where it may",
          "[durable]") {
  auto recovery = GENERATE(recovery_class::read_only,
                           recovery_class::idempotent);
  world world{recovery};
  auto id = world.crash();
  auto object = world.host().resume(resumption(id)).wait();
  CHECK(object.status == run_status::completed);
  CHECK(object.response == "Done.");
  CHECK(world.calls == 2);
  CHECK(world.keys[0] == world.keys[1]);
  auto messages = world.on.messages();
  check_pairing(messages);
  CHECK(messages[2]->text == "2.0"); // settled before, and not asked again
  CHECK(messages[3]->text == "\"acted\"");
  check_log(world.host(), id);
}

TEST_CASE("a call that must not happen twice is told lost", "[durable]") {
  world world{recovery_class::ask};
  auto id = world.crash();
  auto object = world.host().resume(resumption(id)).wait();
  CHECK(object.status == run_status::completed);
  CHECK(world.calls == 1);
  auto messages = world.on.messages();
  check_pairing(messages);
  CHECK(messages[3]->is_error);
  CHECK(messages[3]->text.find("unknown") != std::string::npos);
  check_log(world.host(), id);
}

TEST_CASE("a person decides about a second try where the tool says so",
          "[durable]") {
  auto approve = GENERATE(true, false);
  world world{recovery_class::person};
  auto id = world.crash();
  auto waits = world.host().resume(resumption(id)).wait();
  REQUIRE(waits.status == run_status::suspended);
  REQUIRE(waits.suspension.approvals.size() == 1);
  CHECK(waits.suspension.approvals[0].call.id == "b");
  CHECK(world.calls == 1);
  auto order = resumption(id);
  order.decisions = {{"b", approve, {}}};
  auto object = world.host().resume(order).wait();
  CHECK(object.status == run_status::completed);
  CHECK(world.calls == (approve ? 2 : 1));
  auto messages = world.on.messages();
  check_pairing(messages);
  CHECK(messages[3]->is_error != approve);
  check_log(world.host(), id);
}

TEST_CASE("the next run of a conversation ends one that lost its process",
          "[durable]") {
  world world{recovery_class::ask};
  auto id = world.crash();
  auto next = world.host().ask(world.request());
  CHECK(next.status == run_status::completed);
  auto old = world.host().find_run(id);
  REQUIRE(old);
  REQUIRE(*old);
  CHECK((*old)->status == run_status::failed);
  check_log(world.host(), id);
  check_pairing(world.on.messages());
  CHECK_THROWS_AS(world.host().resume(resumption(id)), co::failure);
}

TEST_CASE("a run that always loses its process is given up", "[durable]") {
  world world{recovery_class::read_only};
  auto id = world.crash();
  auto attempts = 0;
  for (; attempts < 20; ++attempts) {
    world.calls = 0; // never ends
    world.started = {};
    auto run = world.host().resume(resumption(id));
    auto started = world.started.get_future();
    auto over = std::async(std::launch::async, [&] { return run.wait(); });
    while (started.wait_for(5ms) != std::future_status::ready
           && over.wait_for(5ms) != std::future_status::ready) {
    }
    if (started.wait_for(0ms) != std::future_status::ready) {
      auto object = over.get();
      CHECK(object.status == run_status::failed);
      CHECK(object.error.message.find("given up") != std::string::npos);
      break;
    }
    caf::anon_send_exit(run.actor(), caf::exit_reason::kill);
    CHECK_THROWS_AS(over.get(), co::failure);
    REQUIRE(world.await_status(id, run_status::interrupted));
  }
  CHECK(attempts == 10);
  check_pairing(world.on.messages());
  check_log(world.host(), id);
}

TEST_CASE("what a run used is counted on over its crash", "[durable]") {
  world world{recovery_class::read_only, R"(
exchanges:
  - reply: {tool_calls: [{id: a, name: add, arguments: {a: 1, b: 1}}, {id: b, name: act}], usage: {input_tokens: 7, output_tokens: 3}}
  - reply: {text: "Done.", usage: {input_tokens: 9, output_tokens: 4}}
)"};
  auto id = world.crash();
  auto object = world.host().resume(resumption(id)).wait();
  CHECK(object.usage.tokens.input_tokens == 16);
  CHECK(object.usage.model_requests == 2);
  CHECK(object.usage.tool_calls == 2);
}

TEST_CASE("subscribers hear of every event and status", "[durable]") {
  world world{recovery_class::ask, R"(
exchanges:
  - reply: {text: "Done."}
)"};
  auto& host = world.on.start();
  auto mutex = std::mutex{};
  auto events = std::vector<event_type>{};
  auto statuses = std::vector<run_status>{};
  auto is_over = [&] {
    auto guard = std::lock_guard{mutex};
    return statuses.size() >= 2;
  };
  auto id = host.subscribe([&](const run_notice& notice) {
    auto guard = std::lock_guard{mutex};
    if (notice.event != nullptr)
      events.push_back(notice.event->type);
    else
      statuses.push_back(notice.status);
  });
  host.ask(world.request());
  for (auto i = 0; i < 2000 && !is_over(); ++i)
    std::this_thread::sleep_for(1ms); // a bounded poll
  host.unsubscribe(id);
  auto heard = events.size();
  CHECK(events.front() == event_type::run_start);
  CHECK(events.back() == event_type::run_stop);
  CHECK(statuses == std::vector{run_status::running, run_status::completed});
  host.ask(world.request());
  CHECK(events.size() == heard);
}

TEST_CASE("stored runs are found by what they are", "[durable]") {
  world world{recovery_class::ask, R"(
exchanges:
  - reply: {text: "One."}
  - reply: {text: "Two."}
)"};
  auto& host = world.on.start();
  auto first = host.ask(world.request());
  auto second = host.ask(world.request());
  auto later = queue_run{};
  later.request = world.request();
  later.queue = "night";
  auto third = host.run_later(later);
  auto all = host.list_runs({});
  REQUIRE(all);
  REQUIRE(all->size() == 3);
  CHECK((*all)[0].run_id == third.run_id); // newest first
  CHECK((*all)[2].run_id == first.run_id);
  auto query = list_runs{};
  query.by_status = true;
  query.status = run_status::completed;
  auto two = host.list_runs(query, [](const run_object& x) {
    return x.response == "Two.";
  });
  REQUIRE(two);
  REQUIRE(two->size() == 1);
  CHECK(two->front().run_id == second.run_id);
}
