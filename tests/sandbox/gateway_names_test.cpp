#include "troupe/config/errc.hpp"

#include "sandbox/gateway_support.hpp"

#include <array>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

using namespace troupe;
using namespace std::literals;
using test::peer;
using test::tcp_server;
using test::test_gateway;

namespace {

/// Asks a DNS server over UDP.
class dns_client {
public:
  explicit dns_client(uint16_t port)
    : socket_(test::bound_socket(SOCK_DGRAM, "127.0.0.1")) {
    auto to = sockaddr_in{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to);
    auto limit = timeval{60, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  void send(const std::string& message) {
    ::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL);
  }

  std::string receive() {
    auto bytes = std::array<char, 2048>{};
    auto count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    return {bytes.data(), static_cast<size_t>(std::max<ssize_t>(count, 0))};
  }

  // The address of an answer to a question for `name`, or what its status is
  // and how many answers it has.
  std::string ask(const std::string& name, uint16_t type = 1) {
    send(query(name, type));
    auto x = receive();
    if (x.size() < 12)
      return "no answer";
    if (x.substr(0, 2) != "ab")
      return "another answer";
    if (x[7] == 0)
      return "status " + std::to_string(x[3] & 15);
    auto text = std::array<char, INET_ADDRSTRLEN>{};
    ::inet_ntop(AF_INET, x.data() + x.size() - 4, text.data(), text.size());
    return text.data();
  }

  static std::string query(const std::string& name, uint16_t type) {
    auto result = "ab\1\0\0\1\0\0\0\0\0\0"s;
    auto rest = name + '.';
    while (!rest.empty()) {
      auto dot = rest.find('.');
      result += static_cast<char>(dot) + rest.substr(0, dot);
      rest.erase(0, dot + 1);
    }
    result += '\0';
    result += static_cast<char>(type >> 8);
    result += static_cast<char>(type & 255);
    return result + "\0\1"s;
  }

private:
  unique_fd socket_;
};

test_gateway::setup allow(std::vector<std::string> entries) {
  auto result = test_gateway::setup{};
  result.allow = std::move(entries);
  return result;
}

uint16_t serve_dns(test_gateway& x) {
  auto socket = test::bound_socket(SOCK_DGRAM, "127.0.0.1");
  auto port = test::port_of(socket);
  REQUIRE_FALSE((*x).serve_dns(std::move(socket)));
  return port;
}

constexpr uint16_t aaaa = 28;

} // namespace

TEST_CASE("names of the policy have addresses inside", "[gateway]") {
  auto sut = test_gateway{allow({"a.test:443", "*.wild.test:80"})};
  auto dns = dns_client{serve_dns(sut)};
  CHECK(dns.ask("a.test") == "127.128.0.1");
  CHECK(dns.ask("x.wild.test") == "127.128.0.2");
  CHECK(dns.ask("A.TEST") == "127.128.0.1");
  CHECK(dns.ask("a.test", aaaa) == "status 0");
  CHECK(dns.ask("a.test", 65) == "status 0");
  CHECK(dns.ask("a.test", 16) == "status 0");
  CHECK(sut.told()
        == std::vector{"dns a.test + allowed"s, "dns x.wild.test + allowed"s});
}

TEST_CASE("no other name exists inside", "[gateway][attack]") {
  auto asked = std::atomic<int>{0};
  auto setup = allow({"a.test:443", "*.wild.test:80", "192.0.2.1:80"});
  setup.resolve = [&](const std::string&, auto done) {
    ++asked;
    done({});
  };
  auto sut = test_gateway{setup};
  auto dns = dns_client{serve_dns(sut)};
  for (auto name : {"secret.example", "wild.test", "x.a.test", "test",
                    "c2VjcmV0.evil.test", "192.0.2.1", "localhost",
                    "1.0.0.127.in-addr.arpa", "2130706433", "-a.wild.test"}) {
    CAPTURE(name);
    CHECK(dns.ask(name) == "status 3");
    CHECK(dns.ask(name, aaaa) == "status 3");
    CHECK(dns.ask(name, 255) == "status 3");
  }
  CHECK(asked == 0);
  // Each is told of once, however often it is asked for.
  CHECK(sut.decisions().size() == 10);
  CHECK(sut.told()[0] == "dns secret.example - not allowed");
}

TEST_CASE("names beyond their bound have no address", "[gateway][attack]") {
  auto setup = allow({"*.wild.test:80"});
  setup.limits.names = 2;
  setup.limits.destinations = 3;
  auto sut = test_gateway{setup};
  auto dns = dns_client{serve_dns(sut)};
  CHECK(dns.ask("a.wild.test") == "127.128.0.1");
  CHECK(dns.ask("b.wild.test") == "127.128.0.2");
  for (auto i = 0; i < 100; ++i)
    CHECK(dns.ask("x" + std::to_string(i) + ".wild.test") == "status 2");
  CHECK(dns.ask("a.wild.test") == "127.128.0.1");
  CHECK(sut.decisions().size() == 4);
}

TEST_CASE("what is no question gets no answer, and the next one does",
          "[gateway][attack]") {
  auto sut = test_gateway{allow({"a.test:443"})};
  auto dns = dns_client{serve_dns(sut)};
  // Too short, empty, and an answer.
  dns.send("ab");
  dns.send("");
  auto answer = dns_client::query("a.test", 1);
  answer[2] = '\x81';
  dns.send(answer);
  CHECK(dns.ask("a.test") == "127.128.0.1");
  dns.send(dns_client::query("a.test", 1) + std::string(4000, 'x'));
  CHECK(dns.receive() == "ab\x85\x81\0\0\0\0\0\0\0\0"s);
  dns.send("ab\1\0\0\1\0\0\0\0\0\0\xc0\x0c\0\1\0\1"s);
  CHECK(dns.receive() == "ab\x85\x81\0\0\0\0\0\0\0\0"s);
}

TEST_CASE("who asked and went does not end the answers", "[gateway]") {
  auto sut = test_gateway{allow({"a.test:443"})};
  auto port = serve_dns(sut);
  for (auto i = 0; i < 10; ++i)
    dns_client{port}.send(dns_client::query("a.test", 1));
  CHECK(dns_client{port}.ask("a.test") == "127.128.0.1");
}

TEST_CASE("a connection to a made-up address leads to its name", "[gateway]") {
  auto server = tcp_server{test::echo};
  auto setup = allow({server.at("a.test"), "b.test:80"});
  setup.permitted = {server.port()};
  auto sut = test_gateway{setup};
  auto dns = dns_client{serve_dns(sut)};
  // As inside a sandbox, but each listens on its own address.
  auto open = [&](const std::string& address) {
    auto listener = test::bound_socket(SOCK_STREAM, address, server.port());
    REQUIRE_FALSE((*sut).serve_transparent(std::move(listener)));
    return peer{server.port(), address};
  };
  auto address = dns.ask("a.test");
  REQUIRE(address == "127.128.0.1");
  auto x = open(address);
  x.send("hello");
  CHECK(x.read(5) == "hello");
  x.end_output();
  CHECK(x.read_all().empty());
  // Known, but not with this port.
  REQUIRE(dns.ask("b.test") == "127.128.0.2");
  CHECK(open("127.128.0.2").read_all().empty());
  // Never given out.
  CHECK(open("127.128.0.3").read_all().empty());
  CHECK(open("127.0.0.3").read_all().empty());
  CHECK(server.connections() == 1);
  auto port = std::to_string(server.port());
  auto told = sut.told();
  REQUIRE(told.size() == 6);
  CHECK(told[1] == "transparent a.test:" + port + " + allowed");
  CHECK(told[3] == "transparent b.test:" + port + " - not allowed");
  CHECK(told[4] == "transparent 127.128.0.3:" + port + " - not allowed");
  CHECK(told[5] == "transparent 127.0.0.3:" + port + " - not allowed");
}

TEST_CASE("a made-up address is no address for the proxy",
          "[gateway][attack]") {
  auto server = tcp_server{test::echo};
  auto setup = allow({server.at("a.test")});
  setup.permitted = {server.port()};
  auto sut = test_gateway{setup};
  auto dns = dns_client{serve_dns(sut)};
  auto address = dns.ask("a.test");
  CHECK(sut.ask("CONNECT " + server.at(address) + " HTTP/1.1\r\n\r\n")
        == test::refused("403 Forbidden", "refused (not allowed)"));
  CHECK(server.connections() == 0);
}

TEST_CASE("a gateway takes only the sockets that it can serve", "[gateway]") {
  auto sut = test_gateway{allow({})};
  auto is_refused = [](const caf::error& why) {
    return why && to_fault(why).kind == errc::sandbox;
  };
  auto udp = [] { return test::bound_socket(SOCK_DGRAM, "127.0.0.1"); };
  auto tcp = [] { return test::bound_socket(SOCK_STREAM, "127.0.0.1"); };
  CHECK(is_refused((*sut).serve_proxy(udp())));
  CHECK(is_refused((*sut).serve_transparent(udp())));
  CHECK(is_refused((*sut).serve_dns(tcp())));
  CHECK(is_refused((*sut).serve_proxy(unique_fd{})));
  CHECK(is_refused((*sut).serve_dns(unique_fd{})));
  auto idle = unique_fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  CHECK(is_refused((*sut).serve_proxy(std::move(idle))));
  auto local = unique_fd{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  CHECK(is_refused((*sut).serve_dns(std::move(local))));
}

TEST_CASE("a gateway is not made with an entry that is none", "[gateway]") {
  auto options = gateway_options{};
  options.network.allow = {"a.test:443", "https://b.test"};
  auto made = gateway::make(std::move(options));
  REQUIRE_FALSE(made);
  CHECK(to_fault(made.error()).kind == errc::configuration);
  CHECK(to_fault(made.error()).hint == "write b.test:443");
}
