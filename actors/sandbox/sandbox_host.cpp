#include "troupe/actors/sandbox/sandbox_host.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/backend_report.hpp"
#include "troupe/sandbox/container/container_runner.hpp"
#include "troupe/sandbox/remote/remote_runner.hpp"
#include "troupe/sandbox/seatbelt_profile.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <utility>

namespace troupe {

namespace {

enum class provider : uint8_t {
  memory,
  unrestricted,
  bubblewrap,
  container,
  remote,
  unknown,
};

provider provider_of(const sandbox_settings& policy) {
  const auto& name = policy.provider;
  if (name == "virtual")
    return provider::memory;
  if (name == "unrestricted" || name == "local")
    return provider::unrestricted;
  if (name == "native" || name == "bubblewrap")
    return provider::bubblewrap;
  if (name == "container")
    return provider::container;
  if (name == "remote")
    return provider::remote;
  return provider::unknown;
}

caf::error unavailable(const sandbox_settings& policy) {
  if (policy.provider == "seatbelt")
    return check_seatbelt();
  return make_error(errc::sandbox,
                    "there is no sandbox \"" + policy.provider + "\"");
}

caf::expected<bubblewrap_host>
tried_bubblewrap(const std::shared_ptr<process_thread>& thread) {
  auto found = find_bubblewrap_host();
  if (!found)
    return found;
  if (auto failed = probe_bubblewrap(thread, *found))
    return failed;
  return found;
}

} // namespace

caf::error check_sandbox(const sandbox_settings& policy) {
  switch (provider_of(policy)) {
    case provider::memory:
    case provider::unrestricted:
      return {};
    case provider::bubblewrap: {
      auto host = find_bubblewrap_host();
      return host ? caf::error{} : std::move(host.error());
    }
    case provider::container: {
      auto host = find_container_host(policy);
      return host ? caf::error{} : std::move(host.error());
    }
    case provider::remote:
      return check_remote(policy);
    case provider::unknown:
      break;
  }
  return unavailable(policy);
}

caf::expected<process_spec> plan_command(const process_request& request,
                                         const workspace* where,
                                         const sandbox_settings& policy) {
  if (is_remote(policy))
    return plan_remote(request, policy);
  return plan_process(request, *where, policy, host_environment(),
                      containment_of(policy));
}

bool is_remote(const sandbox_settings& policy) {
  return provider_of(policy) == provider::remote;
}

caf::error explain_failure(const sandbox_settings& policy, caf::error why) {
  if (to_fault(why).kind == errc::sandbox
      && provider_of(policy) == provider::bubblewrap)
    if (auto host = find_bubblewrap_host())
      if (auto explained = probe_bubblewrap(nullptr, *host))
        return explained;
  return why;
}

containment containment_of(const sandbox_settings& policy) {
  switch (provider_of(policy)) {
    case provider::memory:
    case provider::unrestricted:
      return containment::none;
    case provider::container:
      return containment::container;
    case provider::bubblewrap:
    case provider::remote:
    case provider::unknown:
      break;
  }
  return containment::sandbox;
}

caf::expected<std::shared_ptr<process_runner>>
sandbox_host::runner_for(std::shared_ptr<const workspace> where,
                         const sandbox_settings& policy,
                         network_listener network) {
  auto guard = std::lock_guard{mutex_};
  switch (provider_of(policy)) {
    case provider::memory:
      return make_error(errc::policy, "the virtual sandbox runs no commands",
                        "provider", "native, for one");
    case provider::unrestricted:
      return unrestricted();
    case provider::bubblewrap:
      return bubblewrap(std::move(where), policy, std::move(network));
    case provider::container:
      return container(std::move(where), policy);
    case provider::remote: {
      auto opened = locked_remote(policy);
      if (!opened)
        return std::move(opened.error());
      return std::move(opened->commands);
    }
    case provider::unknown:
      break;
  }
  return unavailable(policy);
}

caf::expected<remote_sandbox>
sandbox_host::open_remote(const sandbox_settings& policy) {
  auto guard = std::lock_guard{mutex_};
  return locked_remote(policy);
}

caf::expected<remote_sandbox>
sandbox_host::locked_remote(const sandbox_settings& policy) {
  auto on = locked_thread();
  if (!on)
    return std::move(on.error());
  return open_remote_sandbox(std::move(*on), policy);
}

caf::expected<std::shared_ptr<process_thread>> sandbox_host::thread() {
  auto guard = std::lock_guard{mutex_};
  return locked_thread();
}

caf::expected<std::shared_ptr<process_thread>> sandbox_host::locked_thread() {
  if (!thread_) {
    auto made = process_thread::make();
    if (!made)
      return made;
    thread_ = std::move(*made);
  }
  return thread_;
}

caf::expected<std::shared_ptr<process_runner>> sandbox_host::unrestricted() {
  if (unrestricted_)
    return unrestricted_;
  auto on = locked_thread();
  if (!on)
    return std::move(on.error());
  auto made = make_host_runner(*on);
  if (made)
    unrestricted_ = *made;
  return made;
}

caf::expected<std::shared_ptr<process_runner>>
sandbox_host::bubblewrap(std::shared_ptr<const workspace> where,
                         const sandbox_settings& policy,
                         network_listener network) {
  auto on = locked_thread();
  if (!on)
    return std::move(on.error());
  if (!bubblewrap_)
    bubblewrap_.emplace(trial_ == trial::first ? tried_bubblewrap(*on)
                                               : find_bubblewrap_host());
  if (!*bubblewrap_)
    return bubblewrap_->error();
  auto host = **bubblewrap_;
  host.gateway.on_decision = std::move(network.on_decision);
  host.gateway.on_end = std::move(network.on_end);
  return make_bubblewrap_runner(*on, std::move(host), std::move(where), policy);
}

// Nothing is tried here: the engine is called with the first command.
caf::expected<std::shared_ptr<process_runner>>
sandbox_host::container(std::shared_ptr<const workspace> where,
                        const sandbox_settings& policy) {
  auto on = locked_thread();
  if (!on)
    return std::move(on.error());
  auto host = find_container_host(policy);
  if (!host)
    return std::move(host.error());
  return make_container_runner(*on, std::move(*host), std::move(where), policy);
}

} // namespace troupe
