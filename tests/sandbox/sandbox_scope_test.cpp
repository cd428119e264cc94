#include "troupe/sandbox/sandbox_scope.hpp"

#include "support/catch.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/instructions.hpp"

#include <functional>

using namespace troupe;

namespace {

sandbox_authority held() {
  auto result = sandbox_authority{};
  result.policy.provider = "native";
  result.policy.files = {{"root", file_access::read_write},
                         {"source", file_access::read_only}};
  result.policy.runtime_paths = {{"home", file_access::read_write}};
  result.policy.network.mode = "allowlist";
  result.policy.network.allow = {"api.test:443", "*.wild.test:443"};
  return result;
}

bool is_refused(const std::function<void(sandbox_scope&)>& change,
                const sandbox_authority& of = held()) {
  auto scope = sandbox_scope{};
  change(scope);
  auto result = narrow(of, scope);
  return !result && to_fault(result.error()).kind == errc::policy;
}

network_settings allowlist(std::vector<std::string> entries) {
  auto result = network_settings{};
  result.mode = "allowlist";
  result.allow = std::move(entries);
  return result;
}

} // namespace

TEST_CASE("an empty scope changes nothing", "[scope]") {
  auto result = narrow(held(), {});
  REQUIRE(result);
  CHECK(result->policy.files == held().policy.files);
  CHECK(result->capabilities == held().capabilities);
}

TEST_CASE("Unix sockets go with the path they lie in", "[scope]") {
  auto of = held();
  of.policy.unix_sockets = {"home", "root"};
  auto scope = sandbox_scope{};
  CHECK(narrow(of, scope)->policy.unix_sockets.size() == 2);
  scope.runtime_paths.emplace();
  auto result = narrow(of, scope);
  REQUIRE(result);
  CHECK(result->policy.unix_sockets == std::vector<std::string>{"root"});
}

TEST_CASE("a scope takes paths, writing, capabilities, network and limits away",
          "[scope]") {
  auto scope = sandbox_scope{};
  scope.files = {{"root", file_access::read_only}};
  scope.runtime_paths.emplace();
  scope.capabilities = {sandbox_capability::filesystem_read};
  scope.network = allowlist({"api.test:443", "a.wild.test:443"});
  scope.limits = held().policy.limits;
  scope.limits->memory = 1 << 20;
  auto result = narrow(held(), scope);
  REQUIRE(result);
  CHECK(result->policy.files == *scope.files);
  CHECK(result->policy.runtime_paths.empty());
  CHECK(result->capabilities == *scope.capabilities);
  CHECK(result->policy.network.allow == scope.network->allow);
  CHECK(result->policy.limits.memory == 1 << 20);

  // A scope of that scope cannot get back what is gone.
  CHECK(is_refused(
    [](auto& x) { x.files = {{"root", file_access::read_write}}; }, *result));
  CHECK(is_refused(
    [](auto& x) { x.capabilities = {sandbox_capability::process_run}; },
    *result));
  CHECK(is_refused([](auto& x) { x.network = allowlist({"b.wild.test:443"}); },
                   *result));
  CHECK(is_refused([](auto& x) { x.limits = held().policy.limits; }, *result));
  CHECK(is_refused(
    [](auto& x) { x.runtime_paths = {{"home", file_access::read_only}}; },
    *result));
}

TEST_CASE("nothing makes a scope wider", "[scope]") {
  CHECK(is_refused(
    [](auto& x) { x.files = {{"elsewhere", file_access::read_only}}; }));
  CHECK(is_refused(
    [](auto& x) { x.files = {{"source", file_access::read_write}}; }));
  // What only processes see does not become a tool's.
  CHECK(
    is_refused([](auto& x) { x.files = {{"home", file_access::read_only}}; }));
  CHECK(is_refused([](auto& x) {
    x.network.emplace();
    x.network->mode = "inherit";
  }));
  for (const auto* entry :
       {"other.test:443", "api.test:80", "wild.test:443", "*.test:443",
        "api.test:443 ", "a.wild.test:4430", "evilwild.test:443", "*:443"})
    CHECK(is_refused([entry](auto& x) { x.network = allowlist({entry}); }));
  CHECK(is_refused([](auto& x) {
    x.network = allowlist({"api.test:443"});
    x.network->allow_private = true;
  }));
  for (auto change : std::vector<std::function<void(sandbox_limits&)>>{
         [](auto& x) { x.wall += std::chrono::seconds{1}; },
         [](auto& x) { ++x.memory; }, [](auto& x) { ++x.processes; },
         [](auto& x) { ++x.tmp; }, [](auto& x) { ++x.list; }})
    CHECK(is_refused([&change](auto& x) {
      x.limits = held().policy.limits;
      change(*x.limits);
    }));
}

TEST_CASE("a scope that cannot be enforced is refused", "[scope]") {
  auto of = held();
  of.policy.provider = "unrestricted";
  of.policy.network.mode = "inherit";
  auto scope = sandbox_scope{};
  scope.capabilities = {sandbox_capability::process_run};
  auto result = narrow(of, scope);
  REQUIRE_FALSE(result);
  CHECK(to_fault(result.error()).kind == errc::sandbox);
  scope = {};
  scope.network.emplace();
  CHECK_FALSE(narrow(of, scope));
  // Without commands there is nothing to keep from it.
  scope.capabilities = {sandbox_capability::filesystem_read};
  CHECK(narrow(of, scope));
}

TEST_CASE("a sandbox supports what its policy leaves room for", "[scope]") {
  using can = sandbox_capability;
  auto memory = sandbox_settings{};
  CHECK(supports(memory, can::filesystem_write));
  CHECK_FALSE(supports(memory, can::process_run));
  auto reading = sandbox_settings{};
  reading.provider = "native";
  reading.files = {{"root", file_access::read_only}};
  CHECK(supports(reading, can::filesystem_read));
  CHECK(supports(reading, can::process_run));
  CHECK_FALSE(supports(reading, can::filesystem_write));
  reading.files = {};
  CHECK_FALSE(supports(reading, can::filesystem_list));
}

TEST_CASE("a model is told where it works", "[scope]") {
  auto authority = sandbox_authority{};
  auto& policy = authority.policy;
  auto says = [&](const std::string& text) {
    return instructions(authority).find(text) != std::string::npos;
  };
  CHECK(says("Commands cannot be run."));
  policy.files = {{"root", file_access::read_write},
                  {"source", file_access::read_only}};
  SECTION("which is no isolation") {
    policy.provider = "unrestricted";
    CHECK(says("- source: read only"));
    CHECK(says("with all that its user may do"));
    CHECK(says("They use the network of this computer."));
  }
  SECTION("alone") {
    policy.provider = "native";
    CHECK(says("512MiB of memory and 128 processes"));
    CHECK(says("They have no network."));
    policy.root_filesystem = "read_only";
    CHECK(says("the files of this computer read-only"));
  }
  SECTION("with some of the network") {
    policy.provider = "native";
    policy.network
      = {"allowlist", {"a.example:443", "*.b.example:80"}, false, {}};
    CHECK(says("and no other: a.example:443 *.b.example:80."));
    policy.network = {"inherit", {}, false, {}};
    CHECK(says("They use the network of this computer."));
  }
  SECTION("with paths for commands alone") {
    policy.provider = "native";
    policy.runtime_paths = {{"home", file_access::read_write}};
    CHECK(says("$TROUPE_WORKSPACE_<NAME>:\n- home: read and write"));
  }
  SECTION("in a container") {
    policy.provider = "container";
    CHECK(says("where the workspace root is /workspace."));
  }
  SECTION("with less than the sandbox can do") {
    policy.provider = "native";
    authority.capabilities.erase(sandbox_capability::process_spawn);
    CHECK(says("None can start another process."));
    authority.capabilities.erase(sandbox_capability::process_run);
    CHECK(says("Commands cannot be run."));
  }
}

TEST_CASE("a scope has the gateway of the sandbox it is of, or none",
          "[scope]") {
  auto of = held();
  of.policy.network = {};
  of.policy.network.mode = "external";
  of.policy.network.gateway = "proxy.test:3128";
  auto same = sandbox_scope{};
  same.network = of.policy.network;
  CHECK(narrow(of, same));
  auto none = sandbox_scope{};
  none.network.emplace();
  CHECK(narrow(of, none)->policy.network.mode == "none");
  auto other = of.policy.network;
  other.gateway = "other.test:3128";
  CHECK(is_refused([&](auto& x) { x.network = other; }, of));
  CHECK(is_refused([](auto& x) { x.network = allowlist({}); }, of));
  CHECK(is_refused([&](auto& x) { x.network = other; }));
}
