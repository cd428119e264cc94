#include "support/catch.hpp"
#include "support/http_server.hpp"
#include "support/live_system.hpp"
#include "support/model_answers.hpp"

#include "troupe/actors/model/http_model.hpp"
#include "troupe/runtime/http/curl_transport.hpp"

#include <atomic>

using namespace std::chrono_literals;
using namespace troupe;
using test::ask_model;
using test::chunk_of;
using test::http_server;
using test::sse_end;
using test::sse_text;
using test::stream_head;
using test::text_of;

// Provider faults as they come over the network.

namespace {

provider_settings settings_for(const http_server& server) {
  auto result = provider_settings{};
  result.base_url = server.url("/v1");
  result.retry = {3, 1ms, 2ms};
  result.timeouts.first_byte = 10s;
  result.timeouts.idle = 10s;
  return result;
}

struct fixture {
  explicit fixture(provider_settings settings, size_t max_unconsumed = 262144) {
    auto curl = curl_settings{};
    curl.no_proxy = "*";
    curl.max_unconsumed = max_unconsumed;
    auto transport = make_curl_transport(curl);
    REQUIRE(transport);
    auto spec = http_model_spec{settings, make_openai_codec(settings),
                                std::move(*transport)};
    model = live.system().spawn(http_model_behavior, std::move(spec));
  }

  fixture(const fixture&) = delete;
  fixture& operator=(const fixture&) = delete;

  ~fixture() {
    CHECK(live.ask<done>(model, end_work{}));
  }

  test::read_answer read() {
    return live.read(model, ask_model("hi"));
  }

  test::live_system live;
  model_connection_actor model;
};

test::http_script good_answer() {
  return test::reply_in_chunks({sse_text("good"), sse_end()});
}

// A beginning of an answer that never goes on.
std::string broken_in(std::string events) {
  return stream_head() + chunk_of(events);
}

} // namespace

TEST_CASE("a provider's answer arrives whole, however it is cut",
          "[model][net]") {
  auto text = sse_text("a") + sse_text("b") + sse_end();
  auto bytes = std::vector<std::string>{};
  for (auto c : text)
    bytes.emplace_back(1, c);
  auto server
    = http_server{{test::reply_in_chunks(bytes), test::reply_in_chunks({text}),
                   test::reply_in_chunks({sse_text("a"), //
                                          sse_text("b"), sse_end()},
                                         20ms)}};
  auto x = fixture{settings_for(server)};
  for (auto i = 0; i < 3; ++i) {
    auto answer = x.read();
    CHECK_FALSE(answer.failure);
    CHECK(text_of(answer.events) == "ab");
    CHECK(test::is_whole(answer.events));
  }
}

TEST_CASE("answers that end with their body share a connection",
          "[model][net]") {
  auto body = sse_text("a") + sse_end();
  auto server = http_server{
    {test::reply(200, body, "content-type: text/event-stream\r\n")}};
  auto x = fixture{settings_for(server)};
  for (auto i = 0; i < 10; ++i)
    CHECK(text_of(x.read().events) == "a");
  CHECK(server.connections() < 10);
}

TEST_CASE("a fault before the first event is retried", "[model][net]") {
  auto body = std::string{R"({"error":{"message":"not now"}})"};
  auto fault = GENERATE_COPY(values<test::http_script>({
    test::reply(429, body, "retry-after-ms: 5\r\n"),
    test::reply(429, body),
    test::reply(500, "<html>oops</html>"),
    test::reply(503, ""),
    test::reply(408, ""),
    [](test::http_connection& client) { client.reset(); },
    test::reply_and_close("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"),
    test::reply_and_close(broken_in("data: {\"choices\":[{\"ind")),
    test::reply_and_close(stream_head()),
  }));
  auto server = http_server{{fault, good_answer()}};
  auto x = fixture{settings_for(server)};
  auto answer = x.read();
  CHECK_FALSE(answer.failure);
  CHECK(answer.retries() == 1);
  CHECK(text_of(answer.events) == "good");
  CHECK(server.requests().size() == 2);
}

TEST_CASE("a fault after the first event is an error, never a short answer",
          "[model][net]") {
  auto begun = broken_in(sse_text("half"));
  auto fault = GENERATE_COPY(values<test::http_script>({
    test::reply_and_close(begun),
    test::reply_and_close(begun + chunk_of("data: {\"choices\":[{\"ind")),
    test::reply_and_close(stream_head() + chunk_of(sse_text("half"))
                          + "0\r\n\r\n"),
    [begun](test::http_connection& client) {
      client.send(begun);
      client.pause(50ms);
      client.reset();
    },
    test::reply_in_chunks(
      {sse_text("half"), "data: {\"choices\": nonsense\n\n", sse_end()}),
    test::reply_in_chunks(
      {sse_text("half"), "data: {\"error\":{\"message\":\"overloaded\"}}\n\n"}),
  }));
  auto server = http_server{{fault, good_answer()}};
  auto x = fixture{settings_for(server)};
  auto answer = x.read();
  REQUIRE(answer.failure);
  CHECK(is_provider_error(answer.failure->kind));
  CHECK(answer.retries() == 0);
  CHECK_FALSE(test::is_whole(answer.events));
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a fault that asking again cannot mend is not retried",
          "[model][net]") {
  using row = std::tuple<int, std::string, errc>;
  auto too_long = std::string{
    R"({"error":{"message":"too long","code":"context_length_exceeded"}})"};
  auto [status, body, kind] = GENERATE_COPY(table<int, std::string, errc>({
    row{401, "", errc::auth},
    row{400, R"({"error":{"message":"bad"}})", errc::invalid_request},
    row{400, too_long, errc::context_length},
    row{404, "", errc::invalid_request},
  }));
  auto server = http_server{{test::reply(status, body), good_answer()}};
  auto x = fixture{settings_for(server)};
  auto answer = x.read();
  REQUIRE(answer.failure);
  CHECK(answer.failure->kind == kind);
  CHECK(answer.failure->status == status);
  CHECK(server.requests().size() == 1);
}

TEST_CASE("an answer that is no JSON is a protocol error", "[model][net]") {
  auto server
    = http_server{{test::reply(200, "{\"choices\": nonsense}"), good_answer()}};
  auto x = fixture{settings_for(server)};
  auto answer = x.read();
  REQUIRE(answer.failure);
  CHECK(answer.failure->kind == errc::protocol);
}

TEST_CASE("a silent provider is a timeout that may be retried",
          "[model][net]") {
  SECTION("before the first event it is") {
    auto server = http_server{{test::reply_and_hold(""), good_answer()}};
    auto settings = settings_for(server);
    settings.timeouts.first_byte = 50ms;
    auto x = fixture{settings};
    auto answer = x.read();
    CHECK_FALSE(answer.failure);
    CHECK(answer.retries() == 1);
    CHECK(text_of(answer.events) == "good");
  }
  SECTION("in mid-stream it is told") {
    auto server = http_server{
      {test::reply_and_hold(broken_in(sse_text("a"))), good_answer()}};
    auto settings = settings_for(server);
    settings.timeouts.idle = 50ms;
    auto x = fixture{settings};
    auto answer = x.read();
    REQUIRE(answer.failure);
    CHECK(answer.failure->kind == errc::timeout);
    CHECK(answer.failure->retryable);
    CHECK(text_of(answer.events) == "a");
  }
}

TEST_CASE("aborting a stream closes its connection", "[model][net]") {
  auto server = http_server{{test::reply_and_hold(broken_in(sse_text("a")))}};
  auto x = fixture{settings_for(server)};
  auto batch = x.live.ask<model_batch>(x.model, ask_model("hi"));
  REQUIRE(batch);
  REQUIRE(batch->rest);
  CHECK(server.open_connections() == 1);
  CHECK(x.live.ask<done>(batch->rest, end_work{}));
  CHECK(test::eventually([&] { return server.open_connections() == 0; }));
}

TEST_CASE("a slow reader gets everything through a narrow window",
          "[model][net]") {
  constexpr auto count = size_t{2000};
  auto piece = std::string(1000, 'x');
  auto chunks = std::vector<std::string>(count, sse_text(piece));
  chunks.push_back(sse_end());
  auto server = http_server{{test::reply_in_chunks(chunks)}};
  auto x = fixture{settings_for(server), 10'000};
  auto answer = x.read();
  CHECK_FALSE(answer.failure);
  CHECK(text_of(answer.events).size() == count * piece.size());
  // No batch can hold more than the window and what libcurl gives at once.
  CHECK(answer.batches > 20);
}

TEST_CASE("many requests share few places and all are answered",
          "[model][net]") {
  auto active = std::atomic<int>{0};
  auto most = std::atomic<int>{0};
  auto script = [&](test::http_connection& client) {
    auto now = ++active;
    for (auto seen = most.load(); seen < now;)
      if (most.compare_exchange_weak(seen, now))
        break;
    client.send(broken_in(sse_text("good")));
    --active; // the end frees the place
    client.send(chunk_of(sse_end()) + "0\r\n\r\n");
  };
  auto server = http_server{{script}};
  auto settings = settings_for(server);
  settings.max_in_flight = 4;
  auto x = fixture{settings};
  auto& self = x.live.self();
  auto ask = [&] {
    return self->request(x.model, caf::infinite, ask_model("hi"));
  };
  auto asked = std::vector<decltype(ask())>{};
  for (auto i = 0; i < 100; ++i)
    asked.push_back(ask());
  auto whole = size_t{0};
  for (auto& one : asked) {
    auto batch = caf::expected<model_batch>{caf::error{}};
    one.receive([&](model_batch& value) { batch = std::move(value); },
                [&](caf::error& why) { batch = std::move(why); });
    while (batch && batch->rest) {
      auto rest = batch->rest;
      batch = x.live.ask<model_batch>(rest, pull_model_events{});
    }
    whole += batch && test::is_whole(batch->events) ? 1 : 0;
  }
  CHECK(whole == asked.size());
  CHECK(most.load() <= 4);
}

TEST_CASE("an answer is whole when it says so, not when its body ends",
          "[model][net]") {
  auto begun = broken_in(sse_text("good") + sse_end());
  SECTION("and the body's end is not waited for") {
    auto server = http_server{{test::reply_and_hold(begun)}};
    auto x = fixture{settings_for(server)};
    auto answer = x.read();
    CHECK_FALSE(answer.failure);
    CHECK(test::is_whole(answer.events));
    CHECK(server.open_connections() == 1);
  }
  SECTION("and how the body ends does not matter") {
    auto server = http_server{{test::reply_and_close(begun)}};
    auto x = fixture{settings_for(server)};
    CHECK(test::is_whole(x.read().events));
  }
  SECTION("and the connection is used again") {
    auto server = http_server{{[begun](test::http_connection& client) {
      client.send(begun);
      client.pause(20ms);
      client.send("0\r\n\r\n");
    }}};
    auto x = fixture{settings_for(server)};
    CHECK(test::is_whole(x.read().events));
    CHECK(test::eventually([&] {
      auto before = server.connections();
      return test::is_whole(x.read().events) && server.connections() == before;
    }));
  }
}
