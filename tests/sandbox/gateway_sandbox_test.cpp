// The gateway from inside a sandbox: its sockets are made there, and there is
// no other way out.

#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/bubblewrap_runner.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/workspace.hpp"

#include "sandbox/gateway_support.hpp"

#include <future>
#include <mutex>
#include <optional>

using namespace troupe;
using test::peer;
using test::tcp_server;

namespace {

network_settings allowlist(std::vector<std::string> allow) {
  auto result = network_settings{};
  result.mode = "allowlist";
  result.allow = std::move(allow);
  return result;
}

/// A sandbox whose gateway may dial one port of loopback, as which every name
/// resolves.
class networked_sandbox {
public:
  networked_sandbox(network_settings network, uint16_t permitted) {
    auto host = find_bubblewrap_host();
    auto where = workspace::open({}, dir_.path().string());
    if (!host || !where)
      return;
    where_ = *where;
    policy_.provider = "bubblewrap";
    policy_.network = std::move(network);
    host->gateway.resolve = [](const std::string&, auto done) {
      done({boost::asio::ip::make_address("127.0.0.1")});
    };
    host->gateway.check_address = [permitted](const auto& endpoint) {
      return endpoint.port() == permitted ? address_class::global
                                          : address_class::loopback;
    };
    host->gateway.on_decision = [this](const gateway_decision& x) {
      auto guard = std::lock_guard{mutex_};
      decisions_.push_back(x);
    };
    auto runner = make_bubblewrap_runner(nullptr, *host, where_, policy_);
    if (runner)
      runner_ = *runner;
  }

  /// What a shell script prints; nothing where no sandbox can be opened.
  std::optional<std::string> run(const std::string& script) {
    if (!runner_)
      return std::nullopt;
    auto request = process_request{};
    // dash has no sockets.
    request.argv = {"/bin/bash", "-c", script};
    auto spec = plan_process(request, *where_, policy_, {},
                             containment::sandbox);
    REQUIRE(spec);
    auto done = std::promise<caf::expected<process_result>>{};
    runner_->start(*spec,
                   [&](auto result) { done.set_value(std::move(result)); });
    auto result = done.get_future().get();
    if (!result) {
      WARN("no sandbox: " << render(to_fault(result.error())));
      return std::nullopt;
    }
    return result->stdout_text + result->stderr_text;
  }

  std::vector<gateway_decision> decisions() {
    auto guard = std::lock_guard{mutex_};
    return decisions_;
  }

private:
  test::temp_dir dir_;
  std::shared_ptr<workspace> where_;
  sandbox_settings policy_;
  std::mutex mutex_;
  std::vector<gateway_decision> decisions_;
  std::shared_ptr<process_runner> runner_;
};

// One request through the proxy; its port is the first of its kind.
std::string connect(const std::string& target) {
  return "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT " + target
         + " HTTP/1.1\\r\\nHost: " + target
         + "\\r\\n\\r\\nhello' >&3; timeout 10 head -c 100 <&3";
}

} // namespace

TEST_CASE("a sandbox reaches what its list allows, and nothing else",
          "[gateway][sandbox]") {
  auto server = tcp_server{[](peer& x) {
    x.read(5);
    x.send("answer");
  }};
  auto sut = networked_sandbox{
    allowlist({server.at("api.test"), "*.wild.test:443"}), server.port()};
  auto allowed = sut.run(connect(server.at("api.test")));
  if (!allowed)
    return;
  CHECK(allowed->find(" 200 ") != std::string::npos);
  CHECK(allowed->find("answer") != std::string::npos);
  auto refused = sut.run(connect(server.at("other.test")));
  CHECK(refused->find(" 403 ") != std::string::npos);
  CHECK(refused->find("api.test") == std::string::npos);
  // Allowed, but its address may not be dialled.
  CHECK(sut.run(connect("a.wild.test:443"))->find(" 403 ")
        != std::string::npos);
  CHECK(server.connections() == 1);

  // Every decision was told.
  auto told = sut.decisions();
  REQUIRE(told.size() >= 3);
  CHECK(told[0].allowed);
  CHECK_FALSE(told[1].allowed);
  CHECK(told[1].reason == gateway_reason::not_allowed);
  CHECK(told[2].reason == gateway_reason::address);
}

TEST_CASE("a program that knows no proxy reaches an allowed name",
          "[gateway][sandbox]") {
  auto server = tcp_server{[](peer& x) {
    x.read(5);
    x.send("answer");
  }};
  auto sut = networked_sandbox{allowlist({server.at("api.test")}),
                               server.port()};
  auto port = std::to_string(server.port());
  auto asked = sut.run("exec 3<>/dev/tcp/api.test/" + port
                       + "; printf hello >&3; timeout 10 cat <&3");
  if (!asked)
    return;
  CHECK(*asked == "answer");
  CHECK(sut.run("getent ahostsv4 api.test")->find("127.128.")
        != std::string::npos);
  CHECK(*sut.run("getent hosts other.test; echo $?") == "2\n");
}

TEST_CASE("there is no way around the gateway", "[gateway][sandbox]") {
  auto server = tcp_server{test::echo};
  auto sut = networked_sandbox{allowlist({server.at("api.test")}),
                               server.port()};
  auto port = std::to_string(server.port());
  // Inside, loopback is another one: its port is the gateway's, which asks for
  // a name.
  auto direct = sut.run("exec 3<>/dev/tcp/127.0.0.1/" + port
                        + "; printf hello >&3; timeout 10 cat <&3");
  if (!direct)
    return;
  CHECK(direct->find("hello") == std::string::npos);
  CHECK(*sut.run("grep -c : /proc/net/dev") == "1\n");
  CHECK(*sut.run("cat /proc/net/route | wc -l") <= "1\n");
  for (const auto* where : {"udp/127.0.0.1/9", "tcp/192.0.2.1/80"})
    CHECK(sut
            .run("(exec 3<>/dev/" + std::string{where}
                 + " && echo x >&3 && timeout 1 cat <&3) 2>/dev/null")
            ->empty());
  CHECK(server.connections() == 0);
}

TEST_CASE("a declared gateway is all that a sandbox reaches",
          "[gateway][sandbox][external]") {
  auto server = tcp_server{[](peer& x) { x.send("told " + x.read(5)); }};
  auto other = tcp_server{test::echo};
  auto network = network_settings{};
  network.mode = "external";
  network.gateway = server.at("127.0.0.1");
  auto sut = networked_sandbox{network, server.port()};
  auto said = sut.run("p=${HTTPS_PROXY##*:}; exec 3<>/dev/tcp/127.0.0.1/$p; "
                      "printf hello >&3; timeout 10 cat <&3; echo $http_proxy");
  if (!said)
    return;
  CHECK(*said == "told hellohttp://127.0.0.1:3128\n");
  CHECK(*sut.run("grep -c : /proc/net/dev; getent hosts proxy.test; echo $?")
        == "1\n2\n");
  for (auto port : {server.port(), other.port()})
    CHECK(sut
            .run("(exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(port)
                 + " && timeout 1 cat <&3) 2>/dev/null")
            ->empty());
  CHECK(other.connections() == 0);
}
