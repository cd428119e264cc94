#include "troupe/sandbox/network/detail/gateway_core.hpp"

#include "sandbox/gateway_support.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace troupe;
using namespace std::literals;
using test::established;
using test::refused;
using test::tcp_server;
using test::test_gateway;

namespace {

const auto not_allowed = refused("403 Forbidden", "refused (not allowed)");
const auto malformed = refused("400 Bad Request", "refused (malformed)");
const auto bad_address = refused("403 Forbidden", "refused (address)");
const auto unsupported = refused("403 Forbidden", "refused (not supported)");
const auto mismatch = refused("403 Forbidden", "refused (host mismatch)");

std::string connect_to(const std::string& target) {
  return "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n";
}

std::string get(const std::string& target, const std::string& more = "") {
  return "GET " + target + " HTTP/1.1\r\n" + more + "\r\n";
}

// A server that nobody may reach, and a gateway that must not reach it.
struct closed_world {
  explicit closed_world(bool allow_private = false,
                        resolver_function resolve = {})
    : sut(make_setup(secret, allow_private, std::move(resolve))) {
    // nop
  }

  static test_gateway::setup make_setup(const tcp_server& to,
                                        bool allow_private,
                                        resolver_function resolve) {
    auto result = test_gateway::setup{};
    result.allow = {"allowed.test:80", to.at("allowed.test"),
                    to.at("localhost"), to.at("*.wild.test")};
    result.allow_private = allow_private;
    result.resolve = std::move(resolve);
    return result;
  }

  std::string port() const {
    return std::to_string(secret.port());
  }

  tcp_server secret{[](test::peer& x) { x.send("secret"); }};
  test_gateway sut;
};

} // namespace

TEST_CASE("no other spelling of an address is let through",
          "[gateway][attack]") {
  auto x = closed_world{};
  for (auto host : {"127.0.0.1", "2130706433", "0x7f.1", "127.1",
                    "017700000001", "0.0.0.0", "0", "[::1]", "[::]",
                    "[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]"}) {
    CAPTURE(host);
    auto target = host + ":"s + x.port();
    CHECK(x.sut.ask(connect_to(target)) == not_allowed);
    CHECK(x.sut.ask(get("http://" + target + "/")) == not_allowed);
  }
  CHECK(x.secret.connections() == 0);
}

TEST_CASE("a listed address must pass its check too", "[gateway][attack]") {
  auto setup = test_gateway::setup{};
  auto secret = tcp_server{[](test::peer& x) { x.send("secret"); }};
  setup.allow = {secret.at("127.0.0.1"), secret.at("[::ffff:127.0.0.1]"),
                 secret.at("0.0.0.0")};
  auto sut = test_gateway{setup};
  for (const auto& target : setup.allow)
    CHECK(sut.ask(connect_to(target)) == bad_address);
  CHECK(secret.connections() == 0);
  for (const auto& x : sut.decisions())
    CHECK_FALSE(x.allowed);
}

TEST_CASE("a name that is nearly allowed is not", "[gateway][attack]") {
  auto x = closed_world{};
  for (auto host : {"evil.test", "allowed.test.evil", "xallowed.test",
                    "x.allowed.test", "test", "wild.test", "awild.test"}) {
    CAPTURE(host);
    CHECK(x.sut.ask(connect_to(host + ":"s + x.port())) == not_allowed);
  }
  for (auto host :
       {"allowed.test.", "allowed.test..", "localhost.", "*", "*.wild.test",
        ".wild.test", "a..wild.test", "allowed.test%00.evil", "//allowed.test",
        "http://allowed.test", "all\xc3\xb6wed.test", "\xef\xbd\x81llowed.test",
        "evil@allowed.test"}) {
    CAPTURE(host);
    CHECK(x.sut.ask(connect_to(host + ":"s + x.port())) == malformed);
  }
  auto nul = "CONNECT allowed.test\0.evil:80 HTTP/1.1\r\n\r\n"s;
  CHECK(x.sut.ask(nul) == malformed);
  CHECK(x.sut.ask("CONNECT allowed.test\r\n:80 HTTP/1.1\r\n\r\n") == malformed);
  CHECK(x.secret.connections() == 0);
}

TEST_CASE("no other port is let through", "[gateway][attack]") {
  auto x = closed_world{};
  CHECK(x.sut.ask(connect_to("allowed.test:22")) == not_allowed);
  CHECK(x.sut.ask(connect_to("allowed.test:443")) == not_allowed);
  CHECK(x.sut.ask(get("http://allowed.test:81/")) == not_allowed);
  auto wrapped = std::to_string(65536 + x.secret.port());
  for (const auto& port :
       {"0" + x.port(), wrapped, " " + x.port(), "+" + x.port(), ""s, "0"s,
        x.port() + ":22", x.port() + "#@x:80", x.port() + "/",
        "evil@" + x.port(), x.port() + "\t"}) {
    CAPTURE(port);
    CHECK(x.sut.ask(connect_to("allowed.test:" + port)) == malformed);
  }
  CHECK(x.sut.ask(connect_to("allowed.test")) == malformed);
  CHECK(x.secret.connections() == 0);
}

TEST_CASE("user names and other schemes gain nothing", "[gateway][attack]") {
  auto x = closed_world{};
  for (auto target :
       {"http://localhost:18080@evil/", "http://evil@allowed.test/",
        "http://allowed.test#@evil/", "http://allowed.test\\@evil/", "/", "*",
        "allowed.test:80", "file:/etc/passwd"}) {
    CAPTURE(target);
    CHECK(x.sut.ask(get(target, "Host: allowed.test\r\n")) == malformed);
  }
  for (auto target : {"ftp://allowed.test/", "file:///etc/passwd",
                      "gopher://allowed.test/", "https://allowed.test/"}) {
    CAPTURE(target);
    CHECK(x.sut.ask(get(target, "Host: allowed.test\r\n")) == unsupported);
  }
  CHECK(x.secret.connections() == 0);
}

TEST_CASE("a Host that is not the target's is refused", "[gateway][attack]") {
  auto x = closed_world{};
  CHECK(x.sut.ask(get("http://allowed.test/", "Host: evil.test\r\n"))
        == mismatch);
  CHECK(x.sut.ask(get("http://evil.test/", "Host: allowed.test\r\n"))
        == mismatch);
  CHECK(x.sut.ask(get("http://evil.test/", "Host: evil.test\r\n"))
        == not_allowed);
}

TEST_CASE("a head that can be read in two ways is refused",
          "[gateway][attack]") {
  auto x = closed_world{};
  auto post = [](const std::string& more) {
    return "POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\n" + more
           + "\r\n0\r\n\r\nGET http://evil.test/ HTTP/1.1\r\n\r\n";
  };
  for (auto more :
       {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding : chunked\r\n", "Transfer-Encoding:\r\n chunked\r\n",
        "A: b\r\n folded\r\n", "Host : a\r\n", "Host: allowed.test\r\n",
        "A: b\nHost: evil\r\n", "A: b\rHost: evil\r\n"}) {
    CAPTURE(more);
    CHECK(x.sut.ask(post(more)) == malformed);
  }
  CHECK(x.sut.ask("GET http://allowed.test/ HTTP/1.1\nHost: allowed.test\n\n")
        == malformed);
  CHECK(x.secret.connections() == 0);
}

TEST_CASE("a head is not longer than its limit", "[gateway][attack]") {
  auto x = closed_world{};
  auto too_large = refused("431 Request Header Fields Too Large",
                           "refused (too large)");
  auto big = "A: " + std::string(100'000, 'x') + "\r\n";
  CHECK(x.sut.ask(get("http://allowed.test/", big)) == too_large);
  CHECK(x.sut.ask(get("http://" + std::string(100'000, 'a') + "/"))
        == too_large);
  auto many = std::string{};
  for (auto i = 0; i < 20'000; ++i)
    many += "A: b\r\n";
  CHECK(x.sut.ask(get("http://allowed.test/", many)) == too_large);
  // It does not have to end.
  CHECK(x.sut.ask("GET " + std::string(40'000, 'a')) == too_large);
  for (const auto& decision : x.sut.decisions())
    CHECK(decision.destination.size() < 1000);
}

// Only of loopback, so that a gateway that is broken reaches nobody either; the
// other classes are those of the default check, below.
TEST_CASE("an allowed name that leads to this host is refused",
          "[gateway][attack]") {
  for (auto address : {"127.0.0.1", "127.1.2.3", "::1", "0.0.0.0",
                       "::", "::ffff:127.0.0.1", "::127.0.0.1"}) {
    CAPTURE(address);
    auto x = closed_world{false, test::resolve_to({address})};
    CHECK(x.sut.ask(connect_to("allowed.test:" + x.port())) == bad_address);
    CHECK(x.sut.ask(connect_to("LOCALHOST:" + x.port())) == bad_address);
    CHECK(x.sut.ask(get("http://a.wild.test:" + x.port() + "/"))
          == bad_address);
    CHECK(x.secret.connections() == 0);
    auto told = x.sut.decisions();
    REQUIRE(told.size() == 3);
    CHECK(told[1].destination == "localhost:" + x.port());
    CHECK(told[1].detail.find(address) != std::string::npos);
  }
}

TEST_CASE("a private policy does not open what nobody may reach",
          "[gateway][attack]") {
  auto x = closed_world{true, test::resolve_to(
                                {"0.0.0.0", "169.254.169.254", "224.0.0.1"})};
  CHECK(x.sut.ask(connect_to("allowed.test:" + x.port())) == bad_address);
  CHECK(x.secret.connections() == 0);
}

TEST_CASE("the default check refuses what reaches this host, unless private",
          "[gateway][attack]") {
  auto secret = tcp_server{[](test::peer& x) { x.send("secret"); }};
  for (auto is_private : {false, true}) {
    auto options = gateway_options{};
    options.network.allow = {secret.at("localhost"), secret.at("127.0.0.1")};
    options.network.allow_private = is_private;
    auto sut = gateway::make(std::move(options));
    REQUIRE(sut);
    auto listener = test::bound_socket(SOCK_STREAM, "127.0.0.1");
    auto port = test::port_of(listener);
    REQUIRE_FALSE((*sut)->serve_proxy(std::move(listener)));
    // Through the host's own resolver.
    for (const auto& target :
         {secret.at("localhost"), secret.at("127.0.0.1")}) {
      auto answer = test::peer{port}.ask(connect_to(target));
      CHECK((answer == bad_address) == !is_private);
      CHECK((answer.find("secret") != std::string::npos) == is_private);
    }
  }
  CHECK(secret.connections() == 2);
}

TEST_CASE("the default check is that of the policy, on this host as it is now",
          "[gateway][attack]") {
  auto options = gateway_options{};
  auto own = std::optional<resolved_addresses>{resolved_addresses{}};
  options.own_addresses = [&] { return own; };
  auto judge = [&](const std::string& address) {
    auto core = gateway_core{options, {}};
    auto check = core.make_check();
    return check({boost::asio::ip::make_address(address), 80});
  };
  for (auto address :
       {"127.0.0.1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254",
        "100.64.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
        "2002:7f00:1::", "fe80::1", "fd00::1", "224.0.0.1", "ff02::1",
        "255.255.255.255", "192.0.2.1"}) {
    CAPTURE(address);
    CHECK(judge(address) != address_class::global);
  }
  CHECK(judge("9.9.9.9") == address_class::global);
  own->push_back(boost::asio::ip::make_address("9.9.9.9"));
  CHECK(judge("9.9.9.9") == address_class::own);
  CHECK(judge("9.9.9.8") == address_class::global);
  options.network.allow_private = true;
  CHECK(judge("10.0.0.1") == address_class::global);
  CHECK(judge("9.9.9.9") == address_class::global);
  CHECK(judge("127.0.0.1") == address_class::global);
  CHECK(judge("169.254.169.254") == address_class::metadata);
  // A host that does not know itself dials nobody.
  own.reset();
  CHECK(judge("9.9.9.8") == address_class::own);
}

TEST_CASE("the gateway does not lead back to itself", "[gateway][attack]") {
  auto x = closed_world{};
  auto own = std::to_string(x.sut.port());
  CHECK(x.sut.ask(connect_to("127.0.0.1:" + own)) == not_allowed);
  CHECK(x.sut.ask(connect_to("localhost:" + own)) == not_allowed);
  CHECK(x.sut.ask(get("http://127.0.0.1:" + own + "/")) == not_allowed);
}

TEST_CASE("a protocol that is not spoken is refused", "[gateway][attack]") {
  auto x = closed_world{};
  auto upgrade = "Host: allowed.test\r\nConnection: Upgrade\r\nUpgrade: "s;
  CHECK(x.sut.ask(get("http://allowed.test/", upgrade + "websocket\r\n"))
        == unsupported);
  CHECK(x.sut.ask(get("http://allowed.test/", upgrade + "h2c\r\n"))
        == unsupported);
  CHECK(x.sut.ask("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == malformed);
  CHECK(x.sut.ask("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"s)
        == malformed);
  CHECK(x.sut.ask("\4\1\0\x50\x7f\0\0\1\0"s) == malformed);
  CHECK(x.secret.connections() == 0);
}

TEST_CASE("a refusal names its class and nothing else", "[gateway]") {
  auto x = closed_world{};
  CHECK(x.sut.ask(connect_to("evil.test:80")) == not_allowed);
  auto told = x.sut.decisions();
  REQUIRE(told.size() == 1);
  CHECK(told[0].protocol == gateway_protocol::http_connect);
  CHECK(told[0].destination == "evil.test:80");
  CHECK_FALSE(told[0].allowed);
  CHECK(told[0].reason == gateway_reason::not_allowed);
  CHECK(x.sut.counts("evil.test:80").refused == 1);
  CHECK(x.sut.counts("evil.test:80").allowed == 0);
}
