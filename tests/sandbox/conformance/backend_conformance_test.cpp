#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/sandbox/backend_report.hpp"
#include "troupe/sandbox/process_plan.hpp"

#include "sandbox/conformance/check.hpp"
#include "sandbox/container/engine_support.hpp"

using namespace troupe;
using backend_conformance::backend_factory;
using backend_conformance::backend_traits;
using backend_conformance::opened_backend;
using test::check_conformance;

namespace {

using runner_maker
  = std::function<caf::expected<std::shared_ptr<process_runner>>(
    std::shared_ptr<const workspace>, const sandbox_settings&)>;

/// Backends whose files are those of a workspace on this host.
backend_factory on_disk(containment how, const runner_maker& make_runner) {
  return [how, make_runner](
           const sandbox_settings& policy) -> caf::expected<opened_backend> {
    auto dir = std::make_shared<test::temp_dir>();
    auto paths = std::map<std::string, std::string>{};
    if (policy.files.contains("source"))
      paths["source"] = "src";
    auto where = workspace::open({"directory", ".", paths},
                                 dir->path().string());
    REQUIRE(where);
    auto files = make_disk_file_space(*where, policy);
    auto commands = make_runner(*where, policy);
    if (!files || !commands)
      return files ? commands.error() : files.error();
    auto result = opened_backend{};
    result.ground = dir;
    result.files = std::move(*files);
    result.commands = std::move(*commands);
    result.plan = [where = *where, policy, how](const process_request& x) {
      return plan_process(x, *where, policy, host_environment(), how);
    };
    return result;
  };
}

} // namespace

TEST_CASE("files in memory are a sandbox", "[conformance]") {
  auto traits = backend_traits{};
  traits.runs_commands = traits.has_named_paths = false;
  check_conformance(traits, [](const sandbox_settings& policy) {
    auto result = opened_backend{};
    result.files = make_memory_file_space(policy.limits);
    return caf::expected<opened_backend>{std::move(result)};
  });
}

TEST_CASE("an unrestricted sandbox is one, but does not contain",
          "[conformance]") {
  auto traits = backend_traits{};
  traits.is_contained = false;
  check_conformance(traits,
                    on_disk(containment::none, [](const auto&, const auto&) {
                      return make_host_runner();
                    }));
}

TEST_CASE("a bubblewrap sandbox is one", "[conformance]") {
  auto report = probe_backend("bubblewrap", *process_thread::make());
  REQUIRE(report);
  if (!report->available) {
    WARN("SKIPPED: bubblewrap does not work here: " << report->reason);
    return;
  }
  for (auto warm : {true, false})
    DYNAMIC_SECTION((warm ? "kept" : "fresh")) {
      check_conformance(
        {}, on_disk(containment::sandbox, [warm](const auto& where,
                                                 sandbox_settings policy) {
          policy.warm = warm;
          return make_bubblewrap_runner(nullptr, *find_bubblewrap_host(), where,
                                        policy);
        }));
    }
}

TEST_CASE("a container is a sandbox", "[conformance]") {
  const auto* engine = test::find_live_engine();
  if (engine == nullptr)
    return;
  check_conformance(
    {}, on_disk(containment::container,
                [engine](const auto& where, sandbox_settings policy) {
                  policy.container = test::container_policy(*engine).container;
                  auto host = find_container_host(policy);
                  REQUIRE(host);
                  return make_container_runner(nullptr, *host, where, policy);
                }));
}
