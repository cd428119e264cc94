// Unix sockets, where a policy names the paths they lie in.

#include "troupe/sandbox/bubblewrap_plan.hpp"

#include "sandbox/escapes/arena.hpp"
#include "sandbox/process_support.hpp"

#include <cstring>
#include <filesystem>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

using namespace troupe;
namespace fs = std::filesystem;

namespace {

/// A service of the host, which listens on a socket in a folder of its own.
class service {
public:
  explicit service(const fs::path& folder)
    : path_((folder / "service").string()),
      socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    fs::create_directories(folder);
    auto at = sockaddr_un{};
    at.sun_family = AF_UNIX;
    REQUIRE(path_.size() < sizeof at.sun_path);
    std::strcpy(at.sun_path, path_.c_str());
    REQUIRE(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&at), sizeof at)
            == 0);
    REQUIRE(::listen(socket_.get(), 8) == 0);
  }

  const std::string& path() const {
    return path_;
  }

  bool was_reached() const {
    auto what = pollfd{socket_.get(), POLLIN, 0};
    return ::poll(&what, 1, 0) > 0;
  }

private:
  std::string path_;
  unique_fd socket_;
};

/// A host with a service in a path of its policies, and one outside of them.
struct served_host {
  test::attacked_host host;
  fs::path top = host.variables().at("TOP");
  service named{top / "services"};
  service hidden{top / "elsewhere"};

  std::string policy(const std::string& more) const {
    return R"({"runtime_paths":{"tools":"read_only","services":"read_only"},)"
           R"("workspace":{"root":")"
           + host.workspace_path() + R"(","paths":{"source":"source","tools":")"
           + (top / "tools").string() + R"(","services":")"
           + (top / "services").string() + "\"}}" + more + "}";
  }

  static std::string attack(const service& on) {
    return "SERVICE='" + on.path() + "' attacker unix-service";
  }
};

constexpr auto allowed = R"(,"unix_sockets":["services"])";

caf::error plan_error(const std::function<void(sandbox_settings&)>& change,
                      bool has_scope) {
  auto policy = sandbox_settings{};
  policy.provider = "bubblewrap";
  policy.unix_sockets = {"root"};
  change(policy);
  auto grant = path_grant{};
  grant.name = "root";
  grant.path = "/somewhere";
  auto layout = host_layout{};
  layout.has_socket_scope = has_scope;
  auto plan = plan_bubblewrap({grant}, policy, "/tmp", layout,
                              {"bwrap", "init"});
  return plan ? caf::error{} : std::move(plan.error());
}

} // namespace

TEST_CASE("a command connects to a service in a path that its policy names",
          "[sockets]") {
  if (!test::can_open_sandboxes())
    return;
  auto on = served_host{};
  auto where = test::arena{on.host, true};
  auto result = where.run(served_host::attack(on.named), on.policy(allowed));
  CHECK(result.stdout_text == "unix-service: ok\n");
  CHECK(on.named.was_reached());
}

TEST_CASE("no path named, no Unix socket", "[sockets]") {
  if (!test::can_open_sandboxes())
    return;
  auto on = served_host{};
  auto where = test::arena{on.host, true};
  auto result = where.run(served_host::attack(on.named)
                            + "; attacker usual-pair 'pair-*-to-path'",
                          on.policy({}));
  CHECK(result.stdout_text.find("unix-service: EAFNOSUPPORT\n") == 0);
  CHECK(result.stdout_text.find("usual-pair: ok\n") != std::string::npos);
  CHECK(result.stdout_text.find("to-path: ok\n") == std::string::npos);
  CHECK_FALSE(on.named.was_reached());
  CHECK(on.host.damage().find("datagram") == std::string::npos);
}

TEST_CASE("a service outside of the paths stays out of reach", "[sockets]") {
  if (!test::can_open_sandboxes())
    return;
  auto on = served_host{};
  auto where = test::arena{on.host, true};
  auto result = where.run(served_host::attack(on.hidden)
                            + "; attacker unix-abstract usual-pair",
                          on.policy(allowed));
  CHECK(result.stdout_text
        == "unix-service: ENOENT\nunix-abstract: ECONNREFUSED\n"
           "usual-pair: ok\n");
  CHECK_FALSE(on.hidden.was_reached());
}

TEST_CASE("with the host's network its abstract sockets stay out of reach",
          "[sockets]") {
  if (!test::can_open_sandboxes())
    return;
  auto on = served_host{};
  auto where = test::arena{on.host, true};
  auto policy = on.policy(std::string{allowed} + R"(,"network":"inherit")");
  if (!test::has_scopes()) {
    auto spec = where.shell("true", policy);
    CHECK_FALSE(test::run(*where.at(policy).runner, std::move(spec)));
    return;
  }
  auto result = where.run(served_host::attack(on.named)
                            + "; attacker unix-abstract pair-to-abstract",
                          policy);
  CHECK(result.stdout_text
        == "unix-service: ok\nunix-abstract: EPERM\n"
           "pair-to-abstract: EPERM\n");
  CHECK(on.host.damage().find("datagram") == std::string::npos);
}

TEST_CASE("sockets are not allowed where more than the named are in reach",
          "[sockets]") {
  CHECK_FALSE(plan_error([](auto&) {}, false));
  for (const auto* root : {"read_only", "read_write"})
    CHECK(
      to_fault(plan_error([root](auto& x) { x.root_filesystem = root; }, true))
        .kind
      == errc::policy);
  auto inherit = [](auto& x) { x.network.mode = "inherit"; };
  CHECK(to_fault(plan_error(inherit, false)).kind == errc::sandbox);
  CHECK_FALSE(plan_error(inherit, true));
  CHECK(
    to_fault(plan_error([](auto& x) { x.unix_sockets = {"other"}; }, true)).kind
    == errc::policy);
}
