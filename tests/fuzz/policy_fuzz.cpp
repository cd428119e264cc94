#include "troupe/config/allow_list.hpp"
#include "troupe/config/errc.hpp"
#include "troupe/config/load_agent.hpp"
#include "troupe/config/validate_settings.hpp"
#include "troupe/sandbox/bubblewrap_plan.hpp"
#include "troupe/sandbox/container/container_plan.hpp"
#include "troupe/sandbox/remote/remote_runner.hpp"
#include "troupe/sandbox/sandbox_scope.hpp"
#include "troupe/sandbox/seatbelt_profile.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

using namespace troupe;

namespace {

void check(bool x) {
  if (!x)
    std::abort();
}

caf::expected<sandbox_settings> load(const uint8_t* data, size_t size) {
  auto fd = ::memfd_create("policy.yaml", MFD_CLOEXEC);
  check(fd >= 0 && ::write(fd, data, size) == static_cast<ssize_t>(size));
  auto result = load_sandbox_file("/proc/self/fd/" + std::to_string(fd), {});
  ::close(fd);
  return result;
}

// Every path that a policy may name, as if it were there.
std::vector<path_grant> grants_of(const sandbox_settings& policy) {
  auto result = std::vector<path_grant>{};
  for (const auto* paths : {&policy.files, &policy.runtime_paths})
    for (const auto& [name, access] : *paths)
      result.push_back({name, "/w/" + name, access, 1, 2, -1});
  return result;
}

void check_network(const network_settings& x) {
  if (x.mode == "allowlist")
    check(static_cast<bool>(allow_list::make(x.allow)));
  if (x.mode == "external")
    check(static_cast<bool>(parse_allow_entry(x.gateway)));
}

// It is planned or refused; no value of its environment is among the arguments.
void check_plans(const sandbox_settings& policy) {
  auto grants = grants_of(policy);
  auto plan = plan_bubblewrap(grants, policy, "/tmp/home", {},
                              {"/usr/bin/bwrap", "/init"});
  if (plan) {
    auto words = plan->arguments;
    for (const auto& [name, value] : policy.environment)
      if (value.size() > 32)
        check(std::find(words.begin(), words.end(), value) == words.end());
    check(policy.unix_sockets.empty() || policy.root_filesystem == "isolated");
  }
  static_cast<void>(check_container(policy));
  static_cast<void>(check_remote(policy));
  static_cast<void>(seatbelt_profile(policy, grants));
}

// What is held can be asked for, and nothing of it is lost.
void check_scope(const sandbox_settings& policy) {
  auto held = sandbox_authority{};
  held.policy = policy;
  auto scope = sandbox_scope{};
  scope.files = policy.files;
  scope.runtime_paths = policy.runtime_paths;
  scope.network = policy.network;
  scope.limits = policy.limits;
  auto same = narrow(held, scope);
  check(same && same->policy.unix_sockets == policy.unix_sockets
        && same->policy.network.allow == policy.network.allow);
}

} // namespace

// A policy is read or refused with a place; what was read can be enforced or is
// refused before anything runs.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto policy = load(data, size);
  if (!policy) {
    for (const auto& fault : to_faults(policy.error()))
      check(fault.kind == errc::configuration && !fault.message.empty());
    return 0;
  }
  check(find_issues(*policy).empty());
  check_network(policy->network);
  check_plans(*policy);
  check_scope(*policy);
  return 0;
}
