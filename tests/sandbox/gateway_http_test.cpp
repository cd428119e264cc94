#include "support/http_server.hpp"

#include "sandbox/gateway_support.hpp"

#include <future>
#include <memory>

using namespace troupe;
using namespace std::literals;
using test::http_server;
using test::peer;
using test::refused;
using test::reply;
using test::tcp_server;
using test::test_gateway;

namespace {

template <class Server>
test_gateway::setup allow(const Server& to) {
  auto port = std::to_string(to.port());
  auto result = test_gateway::setup{};
  result.allow = {"a.test:" + port, "*.wild.test:" + port};
  result.permitted = {to.port()};
  return result;
}

template <class Server>
std::string at(const Server& to, const std::string& name) {
  return name + ':' + std::to_string(to.port());
}

std::string get(const std::string& target, const std::string& more = "") {
  return "GET " + target + " HTTP/1.1\r\n" + more + "\r\n";
}

// A head, and the body that it announces.
std::string read_response(peer& x) {
  auto head = x.read_until("\r\n\r\n");
  auto at = head.find("Content-Length: ");
  auto size = at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
  return head + x.read(size);
}

bool contains(const std::string& text, std::string_view piece) {
  return text.find(piece) != std::string::npos;
}

// A server that answers a request line with a body that repeats it.
void repeat_lines(peer& x) {
  for (auto head = x.read_until("\r\n\r\n"); !head.empty();
       head = x.read_until("\r\n\r\n")) {
    auto line = head.substr(0, head.find('\r'));
    if (!x.send("HTTP/1.1 200 OK\r\nContent-Length: "
                + std::to_string(line.size()) + "\r\n\r\n" + line))
      return;
  }
}

} // namespace

TEST_CASE("a request is sent on in origin-form with its own Host",
          "[gateway]") {
  auto server = http_server{{reply(200, "hello",
                                   "X-Hop: 1\r\n"
                                   "Connection: x-hop\r\n"
                                   "X-Kept: 2\r\n")}};
  auto sut = test_gateway{allow(server)};
  auto to = at(server, "a.test");
  auto x = sut.client();
  x.send(get("http://A.test:" + std::to_string(server.port()) + "/p?q=1",
             "Host: " + to
               + "\r\nProxy-Authorization: Basic eA==\r\n"
                 "Proxy-Connection: keep-alive\r\nAccept: text/plain\r\n"));
  auto response = read_response(x);
  CHECK(response.starts_with("HTTP/1.1 200 "));
  CHECK(response.ends_with("\r\n\r\nhello"));
  CHECK(contains(response, "X-Kept: 2\r\n"));
  CHECK_FALSE(contains(response, "X-Hop"));
  auto seen = server.requests();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].line == "GET /p?q=1 HTTP/1.1");
  CHECK(seen[0].headers == "Accept: text/plain\r\nHost: " + to + "\r\n");
  CHECK(sut.told() == std::vector{"http " + to + " + allowed"});
  CHECK(sut.counts(to).bytes_received == 5);
}

TEST_CASE("each request of a connection is decided anew", "[gateway][attack]") {
  auto server = tcp_server{repeat_lines};
  auto other = tcp_server{repeat_lines};
  auto setup = allow(server);
  setup.allow.push_back(other.at("b.test"));
  setup.permitted.push_back(other.port());
  auto sut = test_gateway{setup};
  auto x = sut.client();
  auto a = "http://" + server.at("a.test");
  auto b = "http://" + other.at("b.test");
  // All at once: they are taken one after the other.
  x.send(get(a + "/1") + get(a + "/2") + get(b + "/3") + get(a + "/4")
         + get("http://evil.test/5") + get(a + "/6"));
  for (auto path : {"/1", "/2", "/3", "/4"})
    CHECK(read_response(x).ends_with("GET "s + path + " HTTP/1.1"));
  CHECK(x.read_all() == refused("403 Forbidden", "refused (not allowed)"));
  CHECK(server.connections() == 2);
  CHECK(other.connections() == 1);
  CHECK(sut.told()
        == std::vector{"http " + server.at("a.test") + " + allowed",
                       "http " + server.at("a.test") + " + allowed",
                       "http " + other.at("b.test") + " + allowed",
                       "http " + server.at("a.test") + " + allowed",
                       "http evil.test:80 - not allowed"s});
}

TEST_CASE("names that share a server do not share a connection",
          "[gateway][attack]") {
  auto server = tcp_server{repeat_lines};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  for (auto name : {"a.test", "x.wild.test", "a.test"}) {
    x.send(get("http://" + server.at(name) + "/"));
    read_response(x);
  }
  CHECK(server.connections() == 3);
}

TEST_CASE("a redirect is for the client to follow", "[gateway][attack]") {
  auto server
    = http_server{{reply(302, "", "Location: http://evil.test/\r\n")}};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  x.send(get("http://" + at(server, "a.test") + "/"));
  auto response = read_response(x);
  CHECK(contains(response, "Location: http://evil.test/\r\n"));
  CHECK(x.ask(get("http://evil.test/"))
        == refused("403 Forbidden", "refused (not allowed)"));
}

TEST_CASE("a body is sent on with the framing that was read", "[gateway]") {
  auto server = tcp_server{[](peer& x) {
    auto head = x.read_until("\r\n\r\n");
    auto body = contains(head, "chunked") ? x.read_until("0\r\n\r\n")
                                          : x.read(5);
    auto answer = head + "|" + body;
    x.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(answer.size())
           + "\r\nConnection: close\r\n\r\n" + answer);
  }};
  auto sut = test_gateway{allow(server)};
  auto post = "POST http://" + server.at("a.test") + "/ HTTP/1.1\r\n";
  auto x = sut.client();
  x.send(post + "Content-Length: 5\r\n\r\nhello");
  auto host = "Host: " + server.at("a.test") + "\r\n";
  CHECK(read_response(x).ends_with("POST / HTTP/1.1\r\n" + host
                                   + "Content-Length: 5\r\n\r\n|hello"));
  // Extensions and trailers are left out: they are where readers differ.
  x.send(post
         + "Transfer-Encoding: chunked\r\n\r\n3;ext=1\r\nabc\r\n0\r\nX: y\r\n"
           "\r\n");
  CHECK(read_response(x).ends_with("POST / HTTP/1.1\r\n" + host
                                   + "Transfer-Encoding: chunked\r\n\r\n"
                                     "|3\r\nabc\r\n0\r\n\r\n"));
  CHECK(sut.counts(server.at("a.test")).bytes_sent == 8);
}

TEST_CASE("what is hidden in a body is no request", "[gateway][attack]") {
  auto server = tcp_server{[](peer& x) {
    x.read_until("0\r\n\r\n");
    x.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    x.read_all();
  }};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  auto hidden = "GET http://evil.test/ HTTP/1.1\r\n\r\n0\r\n\r\n"s;
  x.send("POST http://" + server.at("a.test") + "/ HTTP/1.1\r\nContent-Length: "
         + std::to_string(hidden.size()) + "\r\n\r\n" + hidden);
  CHECK(read_response(x).starts_with("HTTP/1.1 200 "));
  CHECK(sut.decisions().size() == 1);
}

TEST_CASE("a malformed chunk ends both connections", "[gateway][attack]") {
  for (auto chunk :
       {"zz\r\nabc\r\n", "3\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n",
        "-1\r\n", "ffffffffffffffffff\r\nabc"}) {
    CAPTURE(chunk);
    auto got = std::string{};
    {
      auto server = tcp_server{[&](peer& x) { got = x.read_all(); }};
      auto sut = test_gateway{allow(server)};
      auto x = sut.client();
      auto answer = x.ask("POST http://" + server.at("a.test")
                          + "/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                          + chunk);
      CHECK_FALSE(contains(answer, "200"));
    }
    CHECK_FALSE(contains(got, "0\r\n\r\n"));
  }
}

TEST_CASE("a response comes as it is sent, piece by piece", "[gateway]") {
  auto go_on = std::promise<void>{};
  auto signal = go_on.get_future().share();
  auto server = tcp_server{[&](peer& x) {
    x.read_until("\r\n\r\n");
    x.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
           "5\r\nfirst\r\n");
    signal.wait();
    x.send("6\r\nsecond\r\n0\r\n\r\n");
    x.read_all();
  }};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  x.send(get("http://" + server.at("a.test") + "/"));
  CHECK(contains(x.read_until("\r\n\r\n"), "Transfer-Encoding: chunked\r\n"));
  CHECK(x.read_until("first\r\n") == "5\r\nfirst\r\n");
  go_on.set_value();
  CHECK(x.read_until("0\r\n\r\n") == "6\r\nsecond\r\n0\r\n\r\n");
  CHECK(sut.counts(server.at("a.test")).bytes_received == 11);
}

TEST_CASE("a body up to the end of a connection is told by its end",
          "[gateway]") {
  auto server = tcp_server{[](peer& x) {
    x.read_until("\r\n\r\n");
    x.send("HTTP/1.0 200 OK\r\n\r\n");
    x.send(std::string(200'000, 'x'));
  }};
  auto sut = test_gateway{allow(server)};
  auto answer = sut.ask(get("http://" + server.at("a.test") + "/"));
  CHECK(contains(answer, "Connection: close\r\n"));
  CHECK(answer.ends_with("\r\n\r\n" + std::string(200'000, 'x')));
}

TEST_CASE("half a response does not look like all of it", "[gateway][attack]") {
  auto server = tcp_server{[](peer& x) {
    x.read_until("\r\n\r\n");
    x.send("HTTP/1.1 200 OK\r\n\r\nhalf");
    x.read(1);
    x.reset();
  }};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  x.send("POST http://" + server.at("a.test")
         + "/ HTTP/1.1\r\nContent-Length: 1\r\n\r\nx");
  x.read_all();
  CHECK(x.was_reset());
}

TEST_CASE("HEAD, 204 and 304 have no body", "[gateway]") {
  auto server = tcp_server{[](peer& x) {
    for (auto head = x.read_until("\r\n\r\n"); !head.empty();
         head = x.read_until("\r\n\r\n"))
      if (head.starts_with("HEAD /chunked"))
        x.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      else if (head.starts_with("HEAD"))
        x.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
      else if (head.starts_with("GET /204"))
        x.send("HTTP/1.1 204 No Content\r\n\r\n");
      else
        x.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n");
  }};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  auto ask = [&](const std::string& method, const std::string& path) {
    x.send(method + " http://" + server.at("a.test") + path
           + " HTTP/1.1\r\n\r\n");
    return x.read_until("\r\n\r\n");
  };
  CHECK(contains(ask("HEAD", "/"), "Content-Length: 1000\r\n"));
  CHECK(ask("HEAD", "/chunked").starts_with("HTTP/1.1 200 "));
  CHECK(ask("GET", "/204").starts_with("HTTP/1.1 204 "));
  CHECK(ask("GET", "/304").starts_with("HTTP/1.1 304 "));
  CHECK(ask("GET", "/204").starts_with("HTTP/1.1 204 "));
  CHECK(server.connections() == 1);
}

TEST_CASE("a client that waits for 100 is told to go on", "[gateway]") {
  auto server = tcp_server{[](peer& x) {
    auto head = x.read_until("\r\n\r\n");
    x.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
    auto body = x.read(4);
    x.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + body);
    x.read_all();
  }};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  x.send("PUT http://" + server.at("a.test")
         + "/ HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  CHECK(x.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  x.send("body");
  CHECK(read_response(x).ends_with("\r\n\r\nbody"));
}

TEST_CASE("a server that does not speak HTTP is a bad gateway", "[gateway]") {
  auto bad = refused("502 Bad Gateway", "failed (unreachable)");
  for (auto answer :
       {"SSH-2.0-x\r\n"s, ""s,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"s,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"s,
        "HTTP/1.1 200 OK\r\nA: "s + std::string(100'000, 'x')}) {
    CAPTURE(answer);
    auto server = tcp_server{[&](peer& x) {
      x.read_until("\r\n\r\n");
      x.send(answer);
    }};
    auto sut = test_gateway{allow(server)};
    CHECK(sut.ask(get("http://" + server.at("a.test") + "/")) == bad);
  }
}

TEST_CASE("an answer that nobody asked for is not the next one's",
          "[gateway][attack]") {
  auto server = tcp_server{[n = std::make_shared<std::atomic<int>>(0)](
                             peer& x) {
    auto first = (*n)++ == 0;
    x.read_until("\r\n\r\n");
    x.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"s
           + (first ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil" : ""));
    x.read_all();
  }};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  for (auto i = 0; i < 2; ++i) {
    x.send(get("http://" + server.at("a.test") + "/"));
    CHECK(read_response(x).ends_with("good"));
  }
}

TEST_CASE("a server that hung up is dialled again", "[gateway]") {
  auto server = tcp_server{[](peer& x) {
    x.read_until("\r\n\r\n");
    x.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    x.end_output();
    x.read_all();
  }};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  for (auto i = 0; i < 3; ++i) {
    x.send(get("http://" + server.at("a.test") + "/"));
    CHECK(read_response(x).ends_with("ok"));
  }
  CHECK(server.connections() == 3);
}

TEST_CASE("what must not be asked twice gets a connection of its own",
          "[gateway]") {
  auto server = tcp_server{repeat_lines};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  for (auto method : {"GET", "GET", "POST", "GET", "DELETE"}) {
    x.send(method + " http://"s + server.at("a.test") + "/ HTTP/1.1\r\n\r\n");
    CHECK(contains(read_response(x), method));
  }
  CHECK(server.connections() == 3);
}

TEST_CASE("a kept connection on which nothing comes is tried again once",
          "[gateway]") {
  auto asked = std::make_shared<std::atomic<int>>(0);
  auto server = tcp_server{[asked](peer& x) {
    for (auto first = true; !x.read_until("\r\n\r\n").empty(); first = false) {
      ++*asked;
      if (!first)
        return;
      x.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
  }};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  for (auto i = 0; i < 3; ++i) {
    x.send(get("http://" + server.at("a.test") + "/"));
    CHECK(read_response(x).ends_with("ok"));
  }
  CHECK(server.connections() == 3);
  CHECK(*asked == 5);
}

TEST_CASE("a server may answer before it has read all", "[gateway]") {
  auto server = tcp_server{[](peer& x) {
    x.read_until("\r\n\r\n");
    x.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n"
           "Connection: close\r\n\r\nno");
    x.end_output();
    x.read(1 << 20);
  }};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  x.send("POST http://" + server.at("a.test")
         + "/ HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n"
         + std::string(1'000'000, 'x'));
  CHECK(read_response(x).ends_with("\r\n\r\nno"));
}

TEST_CASE("HTTP/1.0 gets a response without chunks", "[gateway]") {
  auto server = tcp_server{[](peer& x) {
    x.read_until("\r\n\r\n");
    x.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
           "5\r\nhello\r\n0\r\n\r\n");
    x.read_all();
  }};
  auto sut = test_gateway{allow(server)};
  auto answer
    = sut.ask("GET http://" + server.at("a.test") + "/ HTTP/1.0\r\n\r\n");
  CHECK(answer.ends_with("\r\n\r\nhello"));
  CHECK_FALSE(contains(answer, "chunked"));
}
