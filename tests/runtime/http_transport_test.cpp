#include "troupe/runtime/http/http_transport.hpp"

#include "support/catch.hpp"
#include "support/http_server.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/http/curl_transport.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;
using namespace troupe;
using test::http_server;

namespace {

constexpr auto bound = 20s;

// What a handler heard.
struct heard {
  int heads = 0;
  int status = 0;
  std::string head;
  std::string body;
  size_t bytes = 0;
  int ends = 0;
  bool late = false;
  fault error;
  bool failed = false;
};

// Keeps what one transfer does, for a test that waits.
class record {
public:
  void change(const std::function<void(heard&)>& f) {
    auto guard = std::lock_guard{mutex_};
    f(heard_);
    changed_.notify_all();
  }

  // What was heard once `condition` holds.
  heard wait(const std::function<bool(const heard&)>& condition) {
    auto guard = std::unique_lock{mutex_};
    REQUIRE(changed_.wait_for(guard, bound, [&] { return condition(heard_); }));
    return heard_;
  }

  heard wait_for_end() {
    return wait([](const heard& x) { return x.ends > 0; });
  }

  heard now() {
    return wait([](const heard&) { return true; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  heard heard_;
};

using record_ptr = std::shared_ptr<record>;

class recorder : public http_handler {
public:
  explicit recorder(record_ptr record) : record_(std::move(record)) {
    // nop
  }

  void on_head(http_head head) noexcept override {
    record_->change([&](heard& x) {
      ++x.heads;
      x.status = head.status;
      x.head = head.lines;
      x.late = x.late || x.ends > 0 || x.bytes > 0;
    });
  }

  void on_data(std::string_view bytes) noexcept override {
    record_->change([&](heard& x) {
      x.bytes += bytes.size();
      if (x.body.size() < 1'000'000)
        x.body += bytes;
      x.late = x.late || x.ends > 0 || x.heads == 0;
    });
  }

  void on_done(caf::error why) noexcept override {
    record_->change([&](heard& x) {
      ++x.ends;
      x.failed = bool(why);
      if (why)
        x.error = to_fault(why);
    });
  }

private:
  record_ptr record_;
};

std::unique_ptr<http_transport>
make_transport(size_t max_unconsumed = 256 * 1024) {
  auto settings = curl_settings{};
  settings.max_unconsumed = max_unconsumed;
  settings.no_proxy = "*";
  auto result = make_curl_transport(settings);
  REQUIRE(result);
  return std::move(*result);
}

http_request request_to(const std::string& url) {
  auto result = http_request{};
  result.url = url;
  result.body = "{\"hello\":true}";
  result.headers = {{"content-type", "application/json"}, {"x-key", "abc"}};
  return result;
}

struct started {
  record_ptr heard = std::make_shared<record>();
  std::unique_ptr<http_transfer> transfer;
};

started start(http_transport& transport, http_request request) {
  auto result = started{};
  result.transfer = transport.start(std::move(request),
                                    std::make_unique<recorder>(result.heard));
  return result;
}

// What becomes of one request to a server that plays one script.
heard outcome_of(
  test::http_script script,
  const std::function<void(http_request&)>& change = [](http_request&) {}) {
  auto server = http_server{{std::move(script)}};
  auto transport = make_transport();
  auto request = request_to(server.url("/x"));
  change(request);
  auto sut = start(*transport, std::move(request));
  sut.heard->wait_for_end();
  sut.transfer.reset();
  transport.reset();
  auto result = sut.heard->now();
  CHECK(result.ends == 1);
  CHECK_FALSE(result.late);
  return result;
}

bool becomes_true(const std::function<bool()>& condition) {
  auto end = std::chrono::steady_clock::now() + bound;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::yield();
  }
  return true;
}

} // namespace

TEST_CASE("the transport sends a request and streams its answer", "[http]") {
  auto server = http_server{{test::reply(200, "hello", "x-id: 7\r\n")}};
  auto transport = make_transport();
  auto sut = start(*transport, request_to(server.url("/v1/chat?x=1")));
  auto result = sut.heard->wait_for_end();
  CHECK_FALSE(result.failed);
  CHECK(result.status == 200);
  CHECK(result.body == "hello");
  CHECK(http_head{200, result.head}.header("X-ID") == "7");
  auto seen = server.requests();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].line == "POST /v1/chat?x=1 HTTP/1.1");
  CHECK(seen[0].body == "{\"hello\":true}");
  CHECK(seen[0].headers.find("x-key: abc\r\n") != std::string::npos);
  CHECK(seen[0].headers.find("xpect") == std::string::npos);
}

TEST_CASE("the transport gives a status that is no success as an answer",
          "[http]") {
  auto result = outcome_of(test::reply(429, "slow", "retry-after: 3\r\n"));
  CHECK_FALSE(result.failed);
  CHECK(result.status == 429);
  CHECK(http_head{429, result.head}.header("retry-after") == "3");
  CHECK(outcome_of(test::reply(500, "")).status == 500);
}

TEST_CASE("the transport reuses its connections", "[http]") {
  auto server = http_server{{test::reply(200, "ok")}};
  auto transport = make_transport();
  for (auto i = 0; i < 5; ++i)
    CHECK(start(*transport, request_to(server.url())).heard->wait_for_end().body
          == "ok");
  CHECK(server.connections() == 1);
  CHECK(server.requests().size() == 5);
}

TEST_CASE("the transport serves many transfers at once", "[http]") {
  auto server = http_server{{test::reply_in_chunks({"a", "b", "c"})}};
  auto transport = make_transport();
  auto all = std::vector<started>{};
  for (auto i = 0; i < 64; ++i)
    all.push_back(start(*transport, request_to(server.url())));
  for (auto& sut : all)
    CHECK(sut.heard->wait_for_end().body == "abc");
}

TEST_CASE("the transport gives chunks as they come", "[http]") {
  auto server = http_server{
    {test::reply_and_hold(test::stream_head() + test::chunk_of("first"))}};
  auto transport = make_transport();
  auto sut = start(*transport, request_to(server.url()));
  auto result = sut.heard->wait([](auto& x) { return x.body == "first"; });
  CHECK(result.ends == 0);
}

TEST_CASE("the transport does not follow redirects", "[http]") {
  auto server = http_server{
    {test::reply(302, "", "location: http://127.0.0.1:1/elsewhere\r\n")}};
  auto transport = make_transport();
  auto sut = start(*transport, request_to(server.url()));
  CHECK(sut.heard->wait_for_end().status == 302);
}

TEST_CASE("the transport skips an answer that only announces another",
          "[http]") {
  auto result = outcome_of(
    test::reply_and_close("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
                          "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
  CHECK(result.heads == 1);
  CHECK(result.status == 200);
  CHECK(result.head.find("link") == std::string::npos);
}

TEST_CASE("the transport calls a body that ends early truncated", "[http]") {
  auto expect_truncated = [](const heard& result) {
    CHECK(result.failed);
    CHECK(result.error.kind == errc::network);
    CHECK(result.error.retryable);
    CHECK(result.error.message.find("truncated") != std::string::npos);
  };
  SECTION("with fewer bytes than announced") {
    expect_truncated(outcome_of(test::reply_and_close(
      "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort")));
  }
  SECTION("without its last chunk") {
    expect_truncated(outcome_of(
      test::reply_and_close(test::stream_head() + test::chunk_of("data: x"))));
  }
  SECTION("inside a chunk") {
    expect_truncated(outcome_of(
      test::reply_and_close(test::stream_head() + "20\r\ndata: {\"a")));
  }
  SECTION("by a reset") {
    expect_truncated(outcome_of([](test::http_connection& client) {
      client.send(test::stream_head() + test::chunk_of("x"));
      client.pause(50ms);
      client.reset();
    }));
  }
}

TEST_CASE("the transport reports a connection that breaks before an answer",
          "[http]") {
  auto result = outcome_of(test::reply_and_close(""));
  CHECK(result.heads == 0);
  CHECK(result.error.kind == errc::network);
  CHECK(result.error.retryable);
}

TEST_CASE("the transport reports a server that is not there", "[http]") {
  auto port = uint16_t{0};
  {
    port = http_server{{test::reply(200, "")}}.port();
  }
  auto transport = make_transport();
  auto url = "http://user:pass@127.0.0.1:" + std::to_string(port) + "/x";
  auto result = start(*transport, request_to(url)).heard->wait_for_end();
  CHECK(result.error.kind == errc::network);
  CHECK(result.error.retryable);
  CHECK(result.error.where.find("/x") != std::string::npos);
  CHECK(result.error.where.find("pass") == std::string::npos);
}

TEST_CASE("the transport refuses what is no http request", "[http]") {
  auto transport = make_transport();
  auto kind = [&](const http_request& request) {
    return start(*transport, request).heard->wait_for_end().error.kind;
  };
  CHECK(kind(request_to("file:///etc/passwd")) == errc::configuration);
  CHECK(kind(request_to("")) == errc::configuration);
  auto split = request_to("http://127.0.0.1:1");
  split.headers.push_back({"authorization", "Bearer a\r\nhost: evil"});
  CHECK(kind(split) == errc::configuration);
}

TEST_CASE("the transport refuses bytes that are no HTTP", "[http]") {
  auto result = outcome_of(test::reply_and_close("SSH-2.0-OpenSSH\r\n\r\n"));
  CHECK(result.failed);
}

TEST_CASE("the transport bounds the head of an answer", "[http]") {
  auto head = std::string{"HTTP/1.1 200 OK\r\n"};
  for (auto i = 0; i < 100; ++i)
    head += "x-" + std::to_string(i) + ": " + std::string(1000, 'x') + "\r\n";
  auto result = outcome_of(test::reply_and_close(head + "\r\n"));
  CHECK(result.error.kind == errc::protocol);
}

TEST_CASE("the transport bounds the body of an answer", "[http]") {
  auto result = outcome_of(test::reply(200, std::string(5000, 'x')),
                           [](auto& request) { request.max_answer = 4999; });
  CHECK(result.error.kind == errc::protocol);
  CHECK(result.bytes < 5000);
}

TEST_CASE("the transport ends a server that never answers", "[http]") {
  auto result = outcome_of(test::reply_and_hold(""), [](auto& request) {
    request.timeouts.first_byte = 50ms;
  });
  CHECK(result.error.kind == errc::timeout);
  CHECK(result.error.retryable);
}

TEST_CASE("the transport ends a stream that falls silent", "[http]") {
  auto result = outcome_of(test::reply_and_hold(test::stream_head()
                                                + test::chunk_of("data: x")),
                           [](auto& request) { request.timeouts.idle = 50ms; });
  CHECK(result.error.kind == errc::timeout);
  CHECK(result.error.retryable);
  CHECK(result.error.message.find("silence") != std::string::npos);
  CHECK(result.body == "data: x");
}

TEST_CASE("the transport ends an answer that takes too long", "[http]") {
  auto result = outcome_of(
    [](test::http_connection& client) {
      client.send(test::stream_head());
      while (client.send_chunk("x"))
        client.pause(5ms);
    },
    [](auto& request) { request.timeouts.total = 100ms; });
  CHECK(result.error.kind == errc::timeout);
  CHECK(result.bytes > 0);
}

TEST_CASE("the transport lets a slow answer live while it goes on", "[http]") {
  auto result
    = outcome_of(test::reply_in_chunks(std::vector<std::string>(20, "x"), 30ms),
                 [](auto& request) { request.timeouts.idle = 500ms; });
  CHECK_FALSE(result.failed);
  CHECK(result.bytes == 20);
}

TEST_CASE("an aborted transfer is told so once and frees its connection",
          "[http]") {
  auto server = http_server{
    {test::reply_and_hold(test::stream_head() + test::chunk_of("x"))}};
  auto transport = make_transport();
  auto sut = start(*transport, request_to(server.url()));
  sut.heard->wait([](auto& x) { return x.bytes == 1; });
  SECTION("by a call") {
    sut.transfer->abort();
    sut.transfer->abort();
  }
  SECTION("by losing its owner") {
    sut.transfer.reset();
  }
  auto result = sut.heard->wait_for_end();
  CHECK(result.error.kind == errc::cancelled);
  CHECK(becomes_true([&] { return server.open_connections() == 0; }));
  transport.reset();
  CHECK(sut.heard->now().ends == 1);
}

TEST_CASE("a transfer may be aborted before it was sent", "[http]") {
  auto server = http_server{{test::reply(200, "ok")}};
  auto transport = make_transport();
  for (auto i = 0; i < 50; ++i) {
    auto heard = start(*transport, request_to(server.url())).heard;
    heard->wait_for_end();
  }
  transport.reset();
}

TEST_CASE("a transport that goes tells every handler", "[http]") {
  auto server = http_server{{test::reply_and_hold("")}};
  auto transport = make_transport();
  auto all = std::vector<started>{};
  for (auto i = 0; i < 20; ++i)
    all.push_back(start(*transport, request_to(server.url())));
  transport.reset();
  for (auto& sut : all) {
    auto result = sut.heard->now();
    CHECK(result.ends == 1);
    CHECK(result.error.kind == errc::cancelled);
    sut.transfer->consumed(1);
    sut.transfer->abort();
  }
}

TEST_CASE("a transfer pauses until its bytes are consumed", "[http]") {
  constexpr size_t total = 50'000'000;
  constexpr size_t limit = 100'000;
  auto sent = std::atomic<size_t>{0};
  auto server = http_server{{[&](test::http_connection& client) {
    client.send("HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(total)
                + "\r\n\r\n");
    auto block = std::string(50'000, 'x');
    while (sent < total && client.send(block))
      sent += block.size();
  }}};
  auto transport = make_transport(limit);
  auto request = request_to(server.url());
  request.timeouts.idle = 100ms;
  auto sut = start(*transport, std::move(request));
  sut.heard->wait([](auto& x) { return x.bytes > limit; });
  // Another transfer takes several times the idle limit of the first: the loop
  // is alive, and the pause is not taken for silence.
  auto other = http_server{{[](test::http_connection& client) {
    client.pause(400ms);
    client.send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  }}};
  auto waiting = start(*transport, request_to(other.url()));
  CHECK_FALSE(waiting.heard->wait_for_end().failed);
  auto paused = sut.heard->now();
  CHECK(paused.ends == 0);
  CHECK(paused.bytes <= limit + 20'000);
  CHECK(sent < total / 2); // the rest waits in the kernel and at the server
  auto consumed = size_t{0};
  while (consumed < total) {
    auto have = sut.heard->wait([&](auto& x) { return x.bytes > consumed; });
    sut.transfer->consumed(have.bytes - consumed);
    consumed = have.bytes;
  }
  auto result = sut.heard->wait_for_end();
  CHECK_FALSE(result.failed);
  CHECK(result.bytes == total);
}
