// Runs every attack of cases/: in sandboxes that are shared and in fresh ones,
// as root where the tests run as root, and as an ordinary user.

#include "sandbox/escapes/arena.hpp"
#include "sandbox/escapes/escape_case.hpp"
#include "sandbox/process_support.hpp"
#include <grp.h>

#include <string>

#include <sys/wait.h>
#include <unistd.h>

using namespace troupe;
using test::attacked_host;
using test::escape_case;

namespace {

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

process_result attack(test::arena& where, const attacked_host& host,
                      const escape_case& what) {
  auto spec = where.shell(what.run, what.policy);
  if (what.terminal)
    spec.stdio.input = host.terminal();
  return where.run(std::move(spec), what.policy);
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
  auto where = test::arena{host, warm};
  for (const auto& one : test::read_escape_cases()) {
    INFO("case " << one.id << " (" << one.kind << "): " << one.run);
    if (one.needs_scopes && !test::has_scopes()) {
      WARN("skipped: this kernel has no scopes for case " << one.id);
      continue;
    }
    if (!one.before.empty())
      REQUIRE(outside(host, one, one.before).status == 0);
    check_withstood(host, one, attack(where, host, one));
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
