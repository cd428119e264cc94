#include "troupe/config/errc.hpp"

#include "sandbox/gateway_support.hpp"

#include <algorithm>
#include <future>

using namespace troupe;
using namespace std::literals;
using test::established;
using test::peer;
using test::refused;
using test::tcp_server;
using test::test_gateway;

namespace {

// A gateway that leads to `to` under the name a.test.
test_gateway::setup allow(const tcp_server& to) {
  auto result = test_gateway::setup{};
  result.allow = {to.at("a.test"), to.at("*.wild.test"), to.at("127.0.0.1")};
  result.permitted = {to.port()};
  return result;
}

std::string connect_line(const std::string& target) {
  return "CONNECT " + target + " HTTP/1.1\r\n\r\n";
}

peer tunnel(const test_gateway& through, const std::string& target) {
  auto result = through.client();
  result.send(connect_line(target));
  CHECK(result.read(established.size()) == established);
  return result;
}

// Bytes in which none is where it was not.
std::string numbers(size_t size) {
  auto result = std::string{};
  for (auto i = 0; result.size() < size; ++i)
    result += std::to_string(i) + ' ';
  result.resize(size);
  return result;
}

} // namespace

TEST_CASE("a tunnel passes bytes as they are", "[gateway]") {
  auto server = tcp_server{test::echo};
  auto sut = test_gateway{allow(server)};
  for (auto host : {"a.test", "A.TEST", "x.wild.test", "127.0.0.1"}) {
    CAPTURE(host);
    auto x = tunnel(sut, server.at(host));
    x.send("hello\0\xff\r\n"s);
    CHECK(x.read(9) == "hello\0\xff\r\n"s);
    x.end_output();
    CHECK(x.read_all().empty());
    CHECK_FALSE(x.was_reset());
  }
  CHECK(sut.told()
        == std::vector{"CONNECT " + server.at("a.test") + " + allowed",
                       "CONNECT " + server.at("a.test") + " + allowed",
                       "CONNECT " + server.at("x.wild.test") + " + allowed",
                       "CONNECT " + server.at("127.0.0.1") + " + allowed"});
  auto counts = sut.counts(server.at("a.test"));
  CHECK(counts.allowed == 2);
  CHECK(counts.bytes_sent == 18);
  CHECK(counts.bytes_received == 18);
}

TEST_CASE("what follows a CONNECT at once belongs to the tunnel", "[gateway]") {
  auto server = tcp_server{test::echo};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  auto early = numbers(3000);
  x.send(connect_line(server.at("a.test")) + early);
  CHECK(x.read(established.size()) == established);
  CHECK(x.read(early.size()) == early);
}

TEST_CASE("a CONNECT may come one byte at a time", "[gateway]") {
  auto server = tcp_server{test::echo};
  auto sut = test_gateway{allow(server)};
  auto x = sut.client();
  for (auto byte : connect_line(server.at("a.test")))
    x.send({&byte, 1});
  CHECK(x.read(established.size()) == established);
}

TEST_CASE("the same through a relay gets the same answer",
          "[gateway][attack]") {
  auto server = tcp_server{test::echo};
  auto sut = test_gateway{allow(server)};
  auto relay = tcp_server{[&](peer& x) {
    auto out = sut.client();
    out.send(x.read_until("\r\n\r\n"));
    x.send(out.read_until("\r\n\r\n"));
  }};
  auto ask = [](uint16_t port, const std::string& target) {
    auto x = peer{port};
    x.send(connect_line(target));
    return x.read_until("\r\n\r\n");
  };
  for (auto target :
       {server.at("a.test"), server.at("evil.test"), server.at("localhost")})
    CHECK(ask(relay.port(), target) == ask(sut.port(), target));
  CHECK(ask(relay.port(), server.at("a.test")) == established);
}

TEST_CASE("the end of one direction leaves the other open", "[gateway]") {
  auto server = tcp_server{[](peer& x) {
    auto all = x.read_all();
    x.send("got " + std::to_string(all.size()));
  }};
  auto sut = test_gateway{allow(server)};
  auto x = tunnel(sut, server.at("a.test"));
  x.send("12345");
  x.end_output();
  CHECK(x.read_all() == "got 5");

  auto speaker = tcp_server{[](peer& y) {
    y.send("bye");
    y.end_output();
    y.send(y.read_all());
  }};
  auto other = test_gateway{allow(speaker)};
  auto z = tunnel(other, speaker.at("a.test"));
  CHECK(z.read_all() == "bye");
  CHECK(z.send("still open"));
  z.end_output();
  CHECK(test::soon(
    [&] { return other.counts(speaker.at("a.test")).bytes_sent == 10; }));
}

TEST_CASE("a connection that breaks breaks the other", "[gateway]") {
  auto server = tcp_server{[](peer& x) {
    x.send("half");
    x.read(1);
    x.reset();
  }};
  auto sut = test_gateway{allow(server)};
  auto x = tunnel(sut, server.at("a.test"));
  CHECK(x.read(4) == "half");
  x.send(".");
  CHECK(x.read_all().empty());
  CHECK(x.was_reset());

  auto seen = std::promise<bool>{};
  auto listener = tcp_server{[&](peer& y) {
    y.send("hello");
    y.read_all();
    seen.set_value(y.was_reset());
  }};
  auto other = test_gateway{allow(listener)};
  auto z = tunnel(other, listener.at("a.test"));
  z.read(5);
  z.reset();
  CHECK(seen.get_future().get());
}

TEST_CASE("who reads slowly slows down who writes", "[gateway]") {
  constexpr auto size = size_t{64} << 20;
  auto written = std::atomic<size_t>{0};
  auto server = tcp_server{[&](peer& x) {
    auto piece = std::string(1 << 16, 'x');
    while (written < size && x.send(piece))
      written += piece.size();
  }};
  auto sut = test_gateway{allow(server)};
  auto x = tunnel(sut, server.at("a.test"));
  CHECK(x.read(1) == "x");
  // It comes to a stop: what is in between is bounded by buffers.
  auto before = size_t{0};
  CHECK(test::soon([&] {
    std::this_thread::sleep_for(50ms);
    auto now = written.load();
    return std::exchange(before, now) == now;
  }));
  CHECK(written < size);
  CHECK(x.read_all().size() == size - 1);
  CHECK(sut.counts(server.at("a.test")).bytes_received == size);
}

TEST_CASE("a server that does not read stops its client only", "[gateway]") {
  auto go_on = std::promise<void>{};
  auto signal = go_on.get_future().share();
  auto server = tcp_server{[&](peer& x) {
    if (x.read(1) == "e")
      return test::echo(x);
    signal.wait();
    x.send("got " + std::to_string(x.read_all().size()));
  }};
  auto sut = test_gateway{allow(server)};
  auto slow = tunnel(sut, server.at("a.test"));
  auto sender = std::thread{[&] {
    slow.send(std::string(32 << 20, 's'));
    slow.end_output();
  }};
  auto x = tunnel(sut, server.at("a.test"));
  x.send("echo");
  CHECK(x.read(3) == "cho");
  go_on.set_value();
  CHECK(slow.read_all() == "got " + std::to_string((32 << 20) - 1));
  sender.join();
}

TEST_CASE("64 tunnels at once do not mix", "[gateway]") {
  auto server = tcp_server{test::echo};
  auto sut = test_gateway{allow(server)};
  auto clients = std::vector<std::future<bool>>{};
  for (auto i = 0; i < 64; ++i)
    clients.push_back(std::async(std::launch::async, [&, i] {
      auto x = sut.client();
      x.send(connect_line(server.at("x" + std::to_string(i) + ".wild.test")));
      if (x.read(established.size()) != established)
        return false;
      auto text = std::to_string(i) + '/' + numbers(200'000);
      auto back = std::string{};
      while (back.size() < text.size()) {
        auto piece = text.substr(back.size(), 20'000);
        x.send(piece);
        back += x.read(piece.size());
      }
      return back == text;
    }));
  for (auto& x : clients)
    CHECK(x.get());
  CHECK(server.connections() == 64);
  CHECK(sut.counts(server.at("x63.wild.test")).bytes_sent == 200'003);
}

TEST_CASE("SOCKS5 leads where HTTP does", "[gateway]") {
  auto server = tcp_server{test::echo};
  auto sut = test_gateway{allow(server)};
  auto port = std::string{static_cast<char>(server.port() >> 8),
                          static_cast<char>(server.port() & 255)};
  auto ask = [&](const std::string& request) {
    auto x = sut.client();
    x.send("\5\2\2\0"s);
    CHECK(x.read(2) == "\5\0"s);
    x.send(request + "early");
    auto reply = x.read(10);
    return reply[1] == 0 ? x.read(5) : "reply " + std::to_string(reply[1]);
  };
  CHECK(ask("\5\1\0\3\6a.test"s + port) == "early");
  CHECK(ask("\5\1\0\3\6A.test"s + port) == "early");
  CHECK(ask("\5\1\0\1\x7f\0\0\1"s + port) == "early");
  CHECK(ask("\5\1\0\3\6b.test"s + port) == "reply 2");
  CHECK(ask("\5\1\0\3\7"
            "a.test."s
            + port)
        == "reply 2");
  CHECK(ask("\5\1\0\3\6a.test\0\x16"s) == "reply 2");
  CHECK(ask("\5\1\0\1\x7f\0\0\2"s + port) == "reply 2");
  CHECK(ask("\5\1\0\4\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1"s + port)
        == "reply 2");
  CHECK(ask("\5\2\0\3\6a.test"s + port) == "reply 7");
  CHECK(ask("\5\3\0\3\6a.test"s + port) == "reply 7");
  CHECK(ask("\5\1\0\3\5a\0tes"s + port) == "reply 2");
  CHECK(server.connections() == 3);
  CHECK(sut.told()[0] == "socks5 " + server.at("a.test") + " + allowed");
  CHECK(sut.told()[3] == "socks5 " + server.at("b.test") + " - not allowed");
}

TEST_CASE("a SOCKS5 client without our method is refused", "[gateway]") {
  auto server = tcp_server{test::echo};
  auto sut = test_gateway{allow(server)};
  CHECK(sut.ask("\5\1\2"s) == "\5\xff"s);
  CHECK(sut.ask("\5\0"s).empty());
  CHECK(sut.ask("\5\1\0\5\x09\0\3\1a\0\1"s) == "\5\0\5\1\0\1\0\0\0\0\0\0"s);
  CHECK(server.connections() == 0);
}

TEST_CASE("a dial that fails is told apart from a refusal", "[gateway]") {
  auto silent = std::vector<std::function<void(resolved_addresses)>>{};
  auto setup = test_gateway::setup{};
  setup.permitted = {1};
  setup.allow = {"gone.test:1", "none.test:1", "late.test:1"};
  setup.limits.connect = 1s;
  setup.resolve = [&](const std::string& name, auto done) {
    if (name == "late.test")
      silent.push_back(std::move(done));
    else if (name == "none.test")
      done({});
    else
      done({boost::asio::ip::make_address("127.0.0.1")});
  };
  auto sut = test_gateway{setup};
  CHECK(sut.ask(connect_line("gone.test:1"))
        == refused("502 Bad Gateway", "failed (unreachable)"));
  CHECK(sut.ask(connect_line("none.test:1"))
        == refused("502 Bad Gateway", "failed (name not found)"));
  CHECK(sut.ask(connect_line("late.test:1"))
        == refused("504 Gateway Timeout", "failed (timed out)"));
  CHECK(sut.told()
        == std::vector{"CONNECT gone.test:1 + unreachable"s,
                       "CONNECT none.test:1 + name not found"s,
                       "CONNECT late.test:1 + timed out"s});
  // An answer that nobody waits for any more, then one to nobody at all.
  silent[0]({boost::asio::ip::make_address("127.0.0.1")});
  sut.stop();
  silent[0]({boost::asio::ip::make_address("127.0.0.1")});
}

TEST_CASE("only addresses that pass are dialled, in their order",
          "[gateway][attack]") {
  auto server = tcp_server{test::echo};
  auto setup = allow(server);
  setup.resolve = test::resolve_to(
    {"127.0.0.9", "::1", "127.0.0.1", "0.0.0.0", "127.0.0.2"});
  auto sut = test_gateway{setup};
  auto x = tunnel(sut, server.at("a.test"));
  x.send("hello");
  CHECK(x.read(5) == "hello");
  CHECK(sut.decisions()[0].detail == "connected to 127.0.0.1");
}

TEST_CASE("a name is resolved once for each dial", "[gateway][attack]") {
  auto server = tcp_server{test::echo};
  auto asked = std::atomic<int>{0};
  auto setup = allow(server);
  // What a name server does that wants to get around a check.
  setup.resolve = [&](const std::string& name, auto done) {
    auto is_good = asked++ % 2 == 0 && name == "a.test";
    auto address = is_good ? "127.0.0.1" : "127.0.0.9";
    done({boost::asio::ip::make_address(address)});
  };
  auto sut = test_gateway{setup};
  auto first = tunnel(sut, server.at("A.test"));
  CHECK(asked == 1);
  CHECK(sut.ask(connect_line(server.at("a.test")))
        == refused("403 Forbidden", "refused (address)"));
  CHECK(asked == 2);
}
