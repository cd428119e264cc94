#include "sandbox/gateway_support.hpp"

#include <filesystem>
#include <future>
#include <iterator>

using namespace troupe;
using namespace std::literals;
using test::established;
using test::peer;
using test::refused;
using test::tcp_server;
using test::test_gateway;

namespace {

test_gateway::setup allow(const tcp_server& to) {
  auto result = test_gateway::setup{};
  result.allow = {to.at("a.test"), to.at("late.test")};
  result.permitted = {to.port()};
  return result;
}

std::string connect_line(const std::string& target) {
  return "CONNECT " + target + " HTTP/1.1\r\n\r\n";
}

// Reads until the client goes.
void listen_only(peer& x) {
  x.read_all();
}

size_t open_descriptors() {
  auto folder = std::filesystem::directory_iterator{"/proc/self/fd"};
  return static_cast<size_t>(std::distance(begin(folder), end(folder)));
}

} // namespace

TEST_CASE("who says nothing is hung up on", "[gateway]") {
  auto server = tcp_server{listen_only};
  auto setup = allow(server);
  setup.limits.greeting = 30ms;
  auto sut = test_gateway{setup};
  for (const auto& start : {""s, "GET http://a.test/ HTTP/1.1\r\nA"s, "\5"s,
                            "\5\1\0\5\1\0\3\6a."s}) {
    CAPTURE(start);
    auto answer = sut.ask(start);
    CHECK((answer.empty() || answer == "\5\0"s));
  }
  CHECK(server.connections() == 0);
}

TEST_CASE("a tunnel in which nothing moves is broken off", "[gateway]") {
  auto server = tcp_server{listen_only};
  auto setup = allow(server);
  setup.limits.idle = 30ms;
  auto sut = test_gateway{setup};
  auto x = sut.client();
  x.send(connect_line(server.at("a.test")));
  CHECK(x.read(established.size()) == established);
  CHECK(x.read_all().empty());
  CHECK(x.was_reset());
}

TEST_CASE("a tunnel that is busy ends with its time", "[gateway]") {
  auto server = tcp_server{test::echo};
  auto setup = allow(server);
  setup.limits.total = 1s;
  auto sut = test_gateway{setup};
  auto x = sut.client();
  x.send(connect_line(server.at("a.test")));
  CHECK(x.read(established.size()) == established);
  CHECK(test::soon([&] { return !x.send("x") || x.read(1).empty(); }));
}

TEST_CASE("a response that stands still is broken off", "[gateway]") {
  auto server = tcp_server{[](peer& x) {
    x.read_until("\r\n\r\n");
    x.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    x.read_all();
  }};
  auto setup = allow(server);
  setup.limits.idle = 50ms;
  auto sut = test_gateway{setup};
  auto x = sut.client();
  x.send("GET http://" + server.at("a.test") + "/ HTTP/1.1\r\n\r\n");
  auto answer = x.read_all();
  CHECK(x.was_reset());
}

TEST_CASE("connections beyond a bound wait for others to end", "[gateway]") {
  auto server = tcp_server{test::echo};
  auto setup = allow(server);
  setup.limits.connections = 2;
  auto sut = test_gateway{setup};
  auto open = std::list<peer>{};
  for (auto i = 0; i < 2; ++i) {
    auto& x = open.emplace_back(sut.client());
    x.send(connect_line(server.at("a.test")));
    CHECK(x.read(established.size()) == established);
  }
  // The server may be slower than its queue is.
  REQUIRE(test::soon([&] { return server.connections() == 2; }));
  auto waiting = sut.client();
  waiting.send(connect_line(server.at("a.test")));
  // The others are served meanwhile, and nobody else is.
  for (auto i = 0; i < 20; ++i) {
    open.front().send("x");
    CHECK(open.front().read(1) == "x");
  }
  CHECK(server.connections() == 2);
  open.pop_back();
  CHECK(waiting.read(established.size()) == established);
}

TEST_CASE("a name that does not resolve keeps nobody else waiting",
          "[gateway]") {
  auto server = tcp_server{test::echo};
  auto setup = allow(server);
  auto kept = std::promise<std::function<void(resolved_addresses)>>{};
  setup.resolve = [&](const std::string& name, auto done) {
    if (name == "late.test")
      kept.set_value(std::move(done));
    else
      done({boost::asio::ip::make_address("127.0.0.1")});
  };
  auto sut = test_gateway{setup};
  auto late = sut.client();
  late.send(connect_line(server.at("late.test")));
  auto answer = kept.get_future().get();
  auto x = sut.client();
  x.send(connect_line(server.at("a.test")));
  CHECK(x.read(established.size()) == established);
  // On another thread than the gateway's.
  answer({boost::asio::ip::make_address("127.0.0.1")});
  CHECK(late.read(established.size()) == established);
}

TEST_CASE("a refused client that goes on sending is read and hung up on",
          "[gateway][attack]") {
  auto server = tcp_server{listen_only};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  auto flood = std::thread{[&] {
    x.send(connect_line("evil.test:80"));
    auto piece = std::string(1 << 16, 'x');
    // Far more than is read of it.
    for (auto i = 0; i < 4096 && x.send(piece); ++i)
      continue;
  }};
  flood.join();
  CHECK_FALSE(x.send("x"));
}

TEST_CASE("a gateway ends with everything that it has open", "[gateway]") {
  auto before = open_descriptors();
  {
    auto server = tcp_server{test::echo};
    auto setup = allow(server);
    auto kept = std::vector<std::function<void(resolved_addresses)>>{};
    setup.resolve = [&](const std::string& name, auto done) {
      if (name == "late.test")
        kept.push_back(std::move(done));
      else
        done({boost::asio::ip::make_address("127.0.0.1")});
    };
    auto sut = test_gateway{setup};
    REQUIRE_FALSE(
      (*sut).serve_transparent(test::bound_socket(SOCK_STREAM, "127.0.0.1")));
    REQUIRE_FALSE(
      (*sut).serve_dns(test::bound_socket(SOCK_DGRAM, "127.0.0.1")));
    auto open = std::list<peer>{};
    // In every state: silent, in a head, in a greeting, dialling, in a tunnel
    // that is stuck, in a request.
    for (const auto& start :
         {""s, "CONNECT a"s, "\5\1\0"s, connect_line(server.at("late.test")),
          "POST http://" + server.at("a.test")
            + "/ HTTP/1.1\r\nContent-Length: 100\r\n\r\nx"})
      open.emplace_back(sut.client()).send(start);
    for (auto i = 0; i < 8; ++i) {
      auto& x = open.emplace_back(sut.client());
      x.send(connect_line(server.at("a.test")));
      CHECK(x.read(established.size()) == established);
      x.send(std::string(100'000, 'x'));
    }
    CHECK(test::soon([&] { return server.connections() == 9; }));
    sut.stop();
    CHECK_FALSE(open.front().was_reset());
    for (auto& x : open)
      x.read_all();
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("a gateway that never did anything ends", "[gateway]") {
  for (auto i = 0; i < 20; ++i) {
    auto made = gateway::make({});
    CHECK(made);
  }
}

TEST_CASE("a callback that throws ends one connection and is told of",
          "[gateway]") {
  auto server = tcp_server{test::echo};
  auto setup = allow(server);
  setup.resolve = [](const std::string& name, auto done) {
    if (name == "late.test")
      throw std::runtime_error{"broken resolver"};
    done({boost::asio::ip::make_address("127.0.0.1")});
  };
  auto sut = test_gateway{setup};
  CHECK(sut.ask(connect_line(server.at("late.test"))).empty());
  CHECK(test::soon([&] { return !sut.decisions().empty(); }));
  CHECK(sut.decisions()[0].detail == "broken resolver");
  auto x = sut.client();
  x.send(connect_line(server.at("a.test")));
  CHECK(x.read(established.size()) == established);
}
