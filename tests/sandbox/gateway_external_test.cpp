// A gateway that the operator declares: one address, and nothing of ours in
// between.

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"

#include "sandbox/gateway_support.hpp"

#include <mutex>

using namespace troupe;
using namespace std::string_literals;
using test::peer;
using test::tcp_server;

namespace {

gateway_options declaring(const std::string& where) {
  auto result = gateway_options{};
  result.network.mode = "external";
  result.network.gateway = where;
  return result;
}

/// Passes connections on to what `options` declare, with what it decided.
class passage {
public:
  explicit passage(gateway_options options) {
    options.on_decision = [this](const gateway_decision& x) {
      auto guard = std::lock_guard{mutex_};
      decisions_.push_back(x);
    };
    auto made = gateway::make(std::move(options));
    REQUIRE(made);
    sut_ = std::move(*made);
    auto listener = test::bound_socket(SOCK_STREAM, "127.0.0.1");
    port_ = test::port_of(listener);
    REQUIRE_FALSE(sut_->serve_external(std::move(listener)));
  }

  peer client() const {
    return peer{port_};
  }

  gateway_decision decision() {
    auto guard = std::lock_guard{mutex_};
    REQUIRE(decisions_.size() == 1);
    return decisions_.front();
  }

  gateway& operator*() {
    return *sut_;
  }

private:
  std::mutex mutex_;
  std::vector<gateway_decision> decisions_;
  uint16_t port_ = 0;
  std::unique_ptr<gateway> sut_;
};

} // namespace

TEST_CASE("what connects is passed on to the declared gateway as it is",
          "[gateway][external]") {
  auto server = tcp_server{test::echo};
  auto sut = passage{declaring(server.at("127.0.0.1"))};
  auto client = sut.client();
  // Neither HTTP nor SOCKS5, and nothing is looked for in it.
  auto sent = "\x05\x00 CONNECT elsewhere.test:1\n\r\0"s;
  client.send(sent);
  CHECK(client.read(sent.size()) == sent);
  client.end_output();
  CHECK(client.read_all().empty());
  auto told = sut.decision();
  CHECK(told.protocol == gateway_protocol::external);
  CHECK(told.destination == server.at("127.0.0.1"));
  CHECK(told.allowed);
  CHECK((*sut).counts().at(told.destination).bytes_sent == sent.size());
}

TEST_CASE("the name of a gateway is resolved on the host",
          "[gateway][external]") {
  auto server = tcp_server{[](peer& x) { x.send("first"); }};
  auto options = declaring(server.at("proxy.test"));
  options.resolve = test::resolve_to({"127.0.0.1"});
  auto sut = passage{std::move(options)};
  // A gateway may speak first.
  CHECK(sut.client().read_all() == "first");
  CHECK(server.connections() == 1);
}

TEST_CASE("a gateway that is not there ends the connection",
          "[gateway][external]") {
  auto port = test::port_of(test::bound_socket(SOCK_STREAM, "127.0.0.1"));
  auto sut = passage{declaring("127.0.0.1:" + std::to_string(port))};
  CHECK(sut.client().read_all().empty());
  CHECK(sut.decision().reason == gateway_reason::unreachable);
}

TEST_CASE("a connection to a gateway that falls silent ends",
          "[gateway][external]") {
  auto server = tcp_server{[](peer& x) { x.read_all(); }};
  auto options = declaring(server.at("127.0.0.1"));
  options.limits.idle = std::chrono::milliseconds{50};
  auto sut = passage{std::move(options)};
  auto client = sut.client();
  client.send("hello");
  CHECK(client.read_all().empty());
  CHECK(client.was_reset());
}

TEST_CASE("only one address can be declared as a gateway",
          "[gateway][external]") {
  for (const auto* where : {"", "*.proxy.test:80", "proxy.test", "127.1:80",
                            "http://proxy.test:80", "PROXY.test:80"}) {
    INFO(where);
    auto made = gateway::make(declaring(where));
    REQUIRE_FALSE(made);
    CHECK(to_fault(made.error()).kind == errc::configuration);
  }
}

TEST_CASE("an allowlist has no gateway of somebody else's",
          "[gateway][external]") {
  auto options = gateway_options{};
  options.network.mode = "allowlist";
  options.network.allow = {"a.test:443"};
  auto sut = gateway::make(std::move(options));
  REQUIRE(sut);
  CHECK((*sut)->serve_external(test::bound_socket(SOCK_STREAM, "127.0.0.1")));
}
