// Runs the attacks in a container, where an engine works. What an attack says
// there depends on the image, so only what it came to counts.

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/process_plan.hpp"

#include "sandbox/container/engine_support.hpp"
#include "sandbox/escapes/attacked_host.hpp"
#include "sandbox/escapes/escape_case.hpp"
#include "sandbox/process_support.hpp"

#include <chrono>
#include <string>

using namespace troupe;

namespace {

// The attacks on files, descriptors and processes under the usual policy.
// Those that use a host up, or are about a policy of bubblewrap's, have tests
// of their own (live_test, lifecycle_test).
bool applies(const test::escape_case& x) {
  constexpr auto groups = std::string_view{"ABCD"};
  return groups.find(x.id.front()) != std::string_view::npos && x.policy.empty()
         && !x.terminal && x.limit.empty();
}

std::string replaced(std::string text, const std::string& from,
                     const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Where paths of the workspace are meant, those in the container.
std::string moved(const std::string& text, const test::attacked_host& host) {
  auto tools = host.variables().at("TOOLS");
  return replaced(replaced(text, host.workspace_path(), "/workspace"), tools,
                  "/workspaces/tools");
}

sandbox_settings policy_for(const test::attacked_host& host,
                            const test::live_engine& engine) {
  return host.policy(R"({"provider":"container","container":{"engine":")"
                       + engine.name + R"(","image":")" + engine.image
                       + R"("}})",
                     true);
}

class attacked_container {
public:
  attacked_container(const test::attacked_host& host,
                     const test::live_engine& engine)
    : host_(host),
      policy_(policy_for(host, engine)),
      where_(host.open(policy_)) {
    auto found = find_container_host(policy_);
    REQUIRE(found);
    auto made = make_container_runner(nullptr, *found, where_, policy_);
    REQUIRE(made);
    runner_ = *made;
  }

  // A command may end its container: that is an error, and nothing else.
  process_result run(const std::string& script) {
    auto request = process_request{};
    request.argv = {"/bin/sh", "-c", script};
    request.timeout = std::chrono::seconds{20};
    auto spec = plan_process(request, *where_, policy_, {},
                             containment::container);
    REQUIRE(spec);
    for (const auto& [name, value] : host_.variables())
      spec->environment[name] = moved(value, host_);
    auto result = test::run(*runner_, std::move(*spec));
    if (result)
      return *result;
    auto why = to_fault(result.error());
    INFO(render(why));
    CHECK(why.kind == errc::sandbox);
    CHECK(why.message.find("were ended") != std::string::npos);
    return {};
  }

private:
  const test::attacked_host& host_;
  sandbox_settings policy_;
  std::shared_ptr<workspace> where_;
  std::shared_ptr<process_runner> runner_;
};

bool holds_outside(const test::attacked_host& host, const std::string& script) {
  auto spec = process_spec{};
  spec.argv = {"/bin/sh", "-c", script};
  spec.directory = host.workspace_path();
  spec.environment = host.variables();
  spec.wall = std::chrono::seconds{60};
  auto result = test::run(*test::make_runner(), std::move(spec));
  return result && result->status == 0;
}

} // namespace

TEST_CASE("a container withstands the attacks", "[escape][container]") {
  const auto* engine = test::find_live_engine();
  if (engine == nullptr)
    return;
  auto host = test::attacked_host{};
  auto where = attacked_container{host, *engine};
  auto count = 0;
  for (const auto& one : test::read_escape_cases()) {
    if (!applies(one))
      continue;
    INFO("case " << one.id << " (" << one.kind << "): " << one.run);
    if (!one.before.empty())
      REQUIRE(holds_outside(host, one.before));
    auto result = where.run(one.run);
    INFO("stdout: " << result.stdout_text);
    INFO("stderr: " << result.stderr_text);
    auto output = result.stdout_text + result.stderr_text;
    CHECK(output.find(host.secret()) == std::string::npos);
    CHECK(host.damage() == "");
    if (!one.after.empty())
      CHECK(holds_outside(host, one.after));
    ++count;
  }
  CHECK(count > 50);
  CHECK(where.run("echo it still serves").stdout_text == "it still serves\n");
}
