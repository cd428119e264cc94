#include "troupe/actors/model/http_model.hpp"

#include "support/asker.hpp"
#include "support/catch.hpp"
#include "support/fake_transport.hpp"
#include "support/model_answers.hpp"
#include "support/stage.hpp"

#include "troupe/runtime/run/timestamp.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using test::ask_model;
using test::sse_end;
using test::sse_text;
using test::text_of;

namespace {

using batch_answer = test::answer<model_batch>;

fault fault_in(const batch_answer& answer) {
  REQUIRE(answer->has_value());
  REQUIRE_FALSE((*answer)->engaged());
  return to_fault((*answer)->error());
}

model_batch batch_in(const batch_answer& answer) {
  REQUIRE(answer->has_value());
  REQUIRE((*answer)->engaged());
  return ***answer;
}

// A model whose server is played by the test.
struct fixture {
  fixture(const fixture&) = delete;
  fixture& operator=(const fixture&) = delete;

  explicit fixture(uint32_t max_in_flight = 64) {
    auto settings = provider_settings{};
    settings.base_url = "http://h/v1";
    settings.max_in_flight = max_in_flight;
    settings.retry = {3, 1s, 10s};
    model = stage.spawn(http_model_behavior,
                        http_model_spec{settings, make_openai_codec(settings),
                                        transport});
  }

  ~fixture() {
    caf::anon_send_exit(model, caf::exit_reason::kill);
    reader.die();
  }

  batch_answer ask(std::string text) {
    return reader.ask<model_batch>(model, ask_model(std::move(text)));
  }

  batch_answer pull(const model_batch& batch) {
    return reader.ask<model_batch>(batch.rest, pull_model_events{});
  }

  size_t starts() const {
    return transport->transfers.size();
  }

  test::fake_transfer& transfer(size_t i) {
    REQUIRE(i < starts());
    return *transport->transfers[i];
  }

  // The first batch of an answer that goes on.
  model_batch begin() {
    auto answer = ask("hi");
    transfer(0).head(200);
    transfer(0).data(sse_text("a"));
    stage.run();
    return batch_in(answer);
  }

  void end(size_t i, caf::error why = {}) {
    transfer(i).end(std::move(why));
    stage.run();
  }

  size_t streams() const {
    auto* actor = caf::actor_cast<caf::abstract_actor*>(model);
    using pointer = model_connection_actor::stateful_pointer<http_model_state>;
    return dynamic_cast<pointer>(actor)->state.streams.size();
  }

  test::stage stage;
  std::shared_ptr<test::fake_transport> transport
    = std::make_shared<test::fake_transport>();
  model_connection_actor model;
  test::asker reader{stage};
};

caf::error broken() {
  auto what = fault{};
  what.kind = errc::network;
  what.message = "reset";
  what.retryable = true;
  return make_error(std::move(what));
}

caf::error aborted() {
  return make_error(errc::cancelled, "aborted");
}

} // namespace

TEST_CASE("an answer that came at once is one batch without a rest",
          "[model][http]") {
  auto x = fixture{};
  auto answer = x.ask("hi");
  CHECK_FALSE(answer->has_value());
  CHECK(x.transfer(0).request.body.find("\"hi\"") != std::string::npos);
  x.transfer(0).head(200);
  for (auto text : {"a", "b", "c"})
    x.transfer(0).data(sse_text(text));
  x.transfer(0).data(sse_end());
  x.end(0);
  auto batch = batch_in(answer);
  CHECK(text_of(batch.events) == "abc");
  CHECK(test::is_whole(batch.events));
  CHECK_FALSE(batch.rest);
  CHECK(x.streams() == 0);
}

TEST_CASE("an answer that comes in pieces is pulled", "[model][http]") {
  auto x = fixture{};
  auto first = x.begin();
  CHECK(text_of(first.events) == "a");
  REQUIRE(first.rest);
  auto second = x.pull(first);
  CHECK_FALSE(second->has_value());
  x.transfer(0).data(sse_text("b") + sse_text("c"));
  x.stage.run();
  CHECK(text_of(batch_in(second).events) == "bc");
  x.transfer(0).data(sse_end());
  x.transfer(0).end();
  auto last = batch_in(x.pull(batch_in(second)));
  CHECK(test::is_whole(last.events));
  CHECK_FALSE(last.rest);
  CHECK(x.streams() == 0);
}

TEST_CASE("a transfer that goes on after its answer is left alone",
          "[model][http]") {
  auto x = fixture{};
  auto answer = x.ask("hi");
  x.transfer(0).head(200);
  x.transfer(0).data(sse_text("a") + sse_end());
  x.stage.run();
  CHECK(test::is_whole(batch_in(answer).events));
  CHECK_FALSE(batch_in(answer).rest);
  CHECK(x.streams() == 0);
  CHECK_FALSE(x.transfer(0).aborted);
  SECTION("until it ends") {
    x.end(0);
    CHECK_FALSE(x.transfer(0).aborted);
  }
  SECTION("unless more comes") {
    x.transfer(0).data("more");
    CHECK(x.transfer(0).aborted);
  }
}

TEST_CASE("what nobody pulls stays unconsumed", "[model][http]") {
  auto x = fixture{};
  auto batch = x.begin();
  auto before = x.transfer(0).consumed;
  CHECK(before == sse_text("a").size());
  x.transfer(0).data(sse_text("b"));
  x.stage.run();
  CHECK(x.transfer(0).consumed == before);
  CHECK(text_of(batch_in(x.pull(batch)).events) == "b");
  CHECK(x.transfer(0).consumed == 2 * before);
}

TEST_CASE("an error before the first event is retried as the server asks",
          "[model][http]") {
  auto x = fixture{};
  auto answer = x.ask("hi");
  x.transfer(0).head(429, "retry-after: 5\r\n");
  x.transfer(0).data(R"({"error":{"message":"slow down"}})");
  x.end(0);
  auto batch = batch_in(answer);
  REQUIRE(batch.events.size() == 1);
  const auto& retry = batch.events[0];
  CHECK(retry.kind == model_event_kind::retry);
  CHECK(retry.text == "slow down");
  CHECK(static_cast<errc>(retry.error_kind) == errc::rate_limit);
  CHECK(retry.attempt == 2);
  CHECK(retry.delay >= 5s);
  CHECK(retry.delay <= 6s);
  auto next = x.pull(batch);
  x.stage.advance(4900ms);
  CHECK(x.starts() == 1);
  x.stage.advance(1200ms);
  REQUIRE(x.starts() == 2);
  CHECK(x.transfer(1).request.body == x.transfer(0).request.body);
  x.transfer(1).head(200);
  x.transfer(1).data(sse_text("a") + sse_end());
  x.end(1);
  CHECK(text_of(batch_in(next).events) == "a");
}

TEST_CASE("the wait for a retry does not begin with the pull",
          "[model][http]") {
  auto x = fixture{};
  auto answer = x.ask("hi");
  x.end(0, broken());
  x.stage.advance(2s);
  auto next = x.pull(batch_in(answer));
  CHECK(x.starts() == 2);
}

TEST_CASE("attempts are counted and the last failure is told",
          "[model][http]") {
  auto x = fixture{};
  auto answer = x.ask("hi");
  for (auto i = size_t{0}; i < 2; ++i) {
    x.transfer(i).head(503);
    x.end(i);
    CHECK(batch_in(answer).events[0].attempt == i + 2);
    x.stage.advance(10s);
    answer = x.pull(batch_in(answer));
  }
  x.transfer(2).head(503);
  x.end(2);
  auto what = fault_in(answer);
  CHECK(what.kind == errc::overloaded);
  CHECK(what.status == 503);
  CHECK(x.starts() == 3);
  CHECK(x.streams() == 0);
}

TEST_CASE("a failure after the first event is told, never retried",
          "[model][http]") {
  auto x = fixture{};
  auto answer = x.ask("hi");
  x.transfer(0).head(200);
  x.transfer(0).data(sse_text("a"));
  x.end(0, broken()); // before anybody looked
  auto batch = batch_in(answer);
  CHECK(text_of(batch.events) == "a");
  CHECK(fault_in(x.pull(batch)).kind == errc::network);
  x.stage.advance(1min);
  CHECK(x.starts() == 1);
}

TEST_CASE("a failure that asking again cannot mend is told at once",
          "[model][http]") {
  auto x = fixture{};
  auto answer = x.ask("hi");
  x.transfer(0).head(401);
  x.end(0);
  CHECK(fault_in(answer).kind == errc::auth);
}

TEST_CASE("an answer that breaks the protocol ends its transfer",
          "[model][http]") {
  auto x = fixture{};
  auto answer = x.ask("hi");
  x.transfer(0).head(200);
  x.transfer(0).data("data: {oops\n\n");
  x.stage.run();
  CHECK(fault_in(answer).kind == errc::protocol);
  CHECK(x.transfer(0).aborted);
}

TEST_CASE("a retry that would pass the deadline is not waited for",
          "[model][http]") {
  auto x = fixture{};
  auto request = ask_model("hi");
  request.deadline = now_micros() + 60'000'000;
  auto answer = x.reader.ask<model_batch>(x.model, request);
  CHECK(x.transfer(0).request.timeouts.total <= 60s);
  x.transfer(0).head(429, "retry-after: 120\r\n");
  x.end(0);
  CHECK(fault_in(answer).kind == errc::rate_limit);
}

TEST_CASE("a request past its deadline is not sent", "[model][http]") {
  auto x = fixture{};
  auto request = ask_model("hi");
  request.deadline = 1;
  auto answer = x.reader.ask<model_batch>(x.model, request);
  CHECK(fault_in(answer).kind == errc::timeout);
  CHECK(x.starts() == 0);
}

TEST_CASE("a request that cannot be encoded is not sent", "[model][http]") {
  auto x = fixture{};
  auto request = ask_model("hi");
  request.settings_json = shared{std::string{"[1]"}};
  auto answer = x.reader.ask<model_batch>(x.model, request);
  CHECK(fault_in(answer).kind == errc::configuration);
  CHECK(x.starts() == 0);
  CHECK(x.streams() == 0);
}

TEST_CASE("requests past max_in_flight wait in order", "[model][http]") {
  auto x = fixture{1};
  auto first = x.ask("first");
  auto second = x.ask("second");
  auto third = x.ask("third");
  auto fourth = x.ask("fourth");
  CHECK(x.starts() == 1);
  SECTION("and come in when one has ended") {
    x.transfer(0).head(401);
    x.end(0);
    REQUIRE(x.starts() == 2);
    CHECK(x.transfer(1).request.body.find("second") != std::string::npos);
    x.transfer(1).head(401);
    x.end(1);
    REQUIRE(x.starts() == 3);
    CHECK(x.transfer(2).request.body.find("third") != std::string::npos);
  }
  SECTION("and leave the queue when they are cancelled") {
    x.reader.cancel(x.model);
    CHECK(fault_in(fourth).kind == errc::cancelled);
    CHECK_FALSE(third->has_value());
    CHECK_FALSE(second->has_value());
    CHECK_FALSE(x.transfer(0).aborted);
  }
  SECTION("and are answered when the model dies") {
    caf::anon_send_exit(x.model, caf::exit_reason::kill);
    x.stage.run();
    for (const auto& answer : {first, second, third, fourth})
      CHECK(fault_in(answer).kind == errc::cancelled);
    CHECK(x.transfer(0).aborted);
  }
}

TEST_CASE("cancelling a request aborts its transfer", "[model][http]") {
  auto x = fixture{};
  auto answer = x.ask("hi");
  x.reader.cancel(x.model);
  CHECK(fault_in(answer).kind == errc::cancelled);
  CHECK(x.transfer(0).aborted);
  CHECK(x.streams() == 1); // until the transfer is over
  x.end(0, aborted());
  CHECK(x.streams() == 0);
}

TEST_CASE("cancelling a pull ends the stream", "[model][http]") {
  auto x = fixture{};
  auto batch = x.begin();
  auto next = x.pull(batch);
  x.reader.cancel(batch.rest);
  CHECK(fault_in(next).kind == errc::cancelled);
  CHECK(x.transfer(0).aborted);
  x.end(0, aborted());
  CHECK(x.streams() == 0);
}

TEST_CASE("cancelling while a retry waits ends the stream", "[model][http]") {
  auto x = fixture{};
  auto answer = x.ask("hi");
  x.transfer(0).head(429, "retry-after: 5\r\n");
  x.end(0);
  auto batch = batch_in(answer);
  auto next = x.pull(batch);
  x.reader.cancel(batch.rest);
  CHECK(fault_in(next).kind == errc::cancelled);
  CHECK(x.streams() == 0);
  x.stage.advance(1min);
  CHECK(x.starts() == 1);
}

TEST_CASE("a stream does not outlive its reader", "[model][http]") {
  auto x = fixture{};
  SECTION("that waits for the first batch") {
    auto answer = x.ask("hi");
  }
  SECTION("that has one") {
    auto batch = x.begin();
  }
  x.reader.die();
  CHECK(x.transfer(0).aborted);
  x.end(0, aborted());
  CHECK(x.streams() == 0);
}

TEST_CASE("end_work at a stream is answered when its transfer is over",
          "[model][http]") {
  auto x = fixture{};
  auto batch = x.begin();
  auto ended = x.reader.ask<done>(batch.rest, end_work{});
  CHECK(x.transfer(0).aborted);
  CHECK_FALSE(ended->has_value());
  x.end(0, aborted());
  REQUIRE(ended->has_value());
  CHECK((*ended)->engaged());
  CHECK(x.streams() == 0);
}

TEST_CASE("a stream that is killed aborts its transfer and makes room",
          "[model][http]") {
  auto x = fixture{1};
  auto batch = x.begin();
  auto second = x.ask("second");
  caf::anon_send_exit(batch.rest, caf::exit_reason::kill);
  x.stage.run();
  CHECK(x.transfer(0).aborted);
  CHECK(x.starts() == 2);
}

TEST_CASE("a stream has one reader at a time", "[model][http]") {
  auto x = fixture{};
  auto batch = x.begin();
  auto one = x.pull(batch);
  auto other = x.pull(batch);
  CHECK(fault_in(other).kind == errc::internal);
  CHECK_FALSE(one->has_value());
}

TEST_CASE("end_work at a model ends its streams and then itself",
          "[model][http]") {
  auto x = fixture{1};
  auto batch = x.begin();
  auto waiting = x.ask("waiting");
  auto ended = x.reader.ask<done>(x.model, end_work{});
  CHECK(fault_in(waiting).kind == errc::cancelled);
  CHECK(fault_in(x.ask("late")).kind == errc::cancelled);
  CHECK(x.transfer(0).aborted);
  CHECK_FALSE(ended->has_value());
  x.end(0, aborted());
  REQUIRE(ended->has_value());
  CHECK((*ended)->engaged());
  CHECK(x.starts() == 1);
}
