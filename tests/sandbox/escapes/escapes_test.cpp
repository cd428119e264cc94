// Runs every attack of cases/: in sandboxes that are shared and in fresh ones,
// as root where the tests run as root, and as an ordinary user.

#include "troupe/sandbox/process_plan.hpp"

#include "sandbox/escapes/attacked_host.hpp"
#include "sandbox/escapes/escape_case.hpp"
#include "sandbox/process_support.hpp"
#include <grp.h>

#include <array>
#include <map>

#include <sys/wait.h>
#include <unistd.h>

using namespace troupe;
using test::attacked_host;
using test::escape_case;

namespace {

/// The sandboxes of one kind of deployment, one runner for each policy.
class arena {
public:
  arena(const attacked_host& host, bool warm) : host_(host), warm_(warm) {
    // nop
  }

  process_result attack(const escape_case& what) {
    auto& place = place_for(what.policy);
    auto spec = plan_process(request_for(what), *place.where, place.policy, {},
                             containment::sandbox);
    REQUIRE(spec);
    spec->environment.merge(host_.variables());
    spec->environment["PATH"] = host_.variables()["PATH"];
    if (what.terminal)
      spec->stdio.input = host_.terminal();
    auto result = test::run(*place.runner, std::move(*spec));
    INFO((result ? std::string{} : caf::to_string(result.error())));
    REQUIRE(result);
    return *result;
  }

  static process_request request_for(const escape_case& what) {
    auto result = process_request{};
    result.argv = {"/bin/sh", "-c", what.run};
    result.timeout = std::chrono::seconds{60};
    return result;
  }

private:
  struct opened {
    sandbox_settings policy;
    std::shared_ptr<workspace> where;
    std::shared_ptr<process_runner> runner;
  };

  opened& place_for(const std::string& changes) {
    if (auto found = places_.find(changes); found != places_.end())
      return found->second;
    auto made = opened{host_.policy(changes, warm_), nullptr, nullptr};
    made.where = host_.open(made.policy);
    auto runner = make_bubblewrap_runner(nullptr, test::host_parts(),
                                         made.where, made.policy);
    REQUIRE(runner);
    made.runner = std::move(*runner);
    return places_.emplace(changes, std::move(made)).first->second;
  }

  const attacked_host& host_;
  bool warm_;
  std::map<std::string, opened> places_;
};

// Runs a shell of the host.
process_result outside(const attacked_host& host, const escape_case& what,
                       const std::string& script) {
  auto spec = process_spec{};
  spec.argv = {"/bin/sh", "-c", script};
  spec.directory = host.workspace_path();
  spec.environment = host.variables();
  spec.wall = std::chrono::seconds{60};
  if (what.terminal)
    spec.stdio.input = host.terminal();
  auto runner = test::make_runner();
  auto result = test::run(*runner, std::move(spec));
  REQUIRE(result);
  return *result;
}

void check_withstood(const attacked_host& host, const escape_case& what,
                     const process_result& result) {
  INFO("stdout: " << result.stdout_text);
  INFO("stderr: " << result.stderr_text);
  INFO("status: " << result.status);
  CHECK(test::judge(what, result) == "");
  auto output = result.stdout_text + result.stderr_text;
  CHECK(output.find(host.secret()) == std::string::npos);
  CHECK(host.damage() == "");
  if (!what.after.empty()) {
    auto looked = outside(host, what, what.after);
    INFO("afterwards: " << looked.stdout_text << looked.stderr_text);
    CHECK(looked.status == 0);
  }
}

void withstand_all(bool warm) {
  auto host = attacked_host{};
  auto where = arena{host, warm};
  for (const auto& one : test::read_escape_cases()) {
    INFO("case " << one.id << " (" << one.kind << "): " << one.run);
    if (one.needs_scopes && !test::has_scopes()) {
      WARN("skipped: this kernel has no scopes for case " << one.id);
      continue;
    }
    if (!one.before.empty())
      REQUIRE(outside(host, one, one.before).status == 0);
    check_withstood(host, one, where.attack(one));
  }
}

} // namespace

TEST_CASE("a sandbox that is shared withstands the attacks", "[escape]") {
  if (test::can_open_sandboxes())
    withstand_all(true);
}

TEST_CASE("a fresh sandbox withstands the attacks", "[escape]") {
  if (test::can_open_sandboxes())
    withstand_all(false);
}

// Or the cases would prove nothing.
TEST_CASE("attacks that are known to work do so without a sandbox",
          "[escape]") {
  auto count = 0;
  for (const auto& one : test::read_escape_cases()) {
    if (!one.works_outside)
      continue;
    INFO("case " << one.id << ": " << one.run);
    auto host = attacked_host{};
    if (!one.before.empty())
      REQUIRE(outside(host, one, one.before).status == 0);
    auto result = outside(host, one, one.run);
    INFO("stdout: " << result.stdout_text);
    INFO("stderr: " << result.stderr_text);
    auto output = result.stdout_text + result.stderr_text;
    auto harm = test::judge(one, result) + host.damage();
    if (output.find(host.secret()) != std::string::npos)
      harm += "it read the secret";
    CHECK(harm != "");
    outside(host, one, one.after);
    ++count;
  }
  CHECK(count > 0);
}

TEST_CASE("what root withstands, an ordinary user does", "[as_user]") {
  if (::getuid() != 0) {
    SUCCEED("this is one");
    return;
  }
  constexpr auto user = 1000U;
  constexpr auto unreachable = 126;
  auto program = std::string{"/proc/self/exe"};
  char path[4096] = {};
  REQUIRE(::readlink(program.c_str(), path, sizeof path - 1) > 0);
  auto filter = std::string{"[escape],[limits],[ordinary]"};
  auto argv = std::array{path, filter.data(), static_cast<char*>(nullptr)};
  auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0
        && ::setresuid(user, user, user) == 0)
      ::execv(path, argv.data());
    ::_exit(unreachable);
  }
  auto status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == unreachable)
    WARN("skipped: an ordinary user cannot run " << path);
  else
    CHECK(status == 0);
}
