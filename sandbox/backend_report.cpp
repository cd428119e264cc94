#include "troupe/sandbox/backend_report.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/container/container_runner.hpp"
#include "troupe/sandbox/remote/remote_runner.hpp"
#include "troupe/sandbox/remote/remote_sandbox.hpp"
#include "troupe/sandbox/seatbelt_profile.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

using words = std::vector<std::string>;

const auto file_features = words{"filesystem_read", "filesystem_write",
                                 "filesystem_list"};

words with(words list, std::initializer_list<std::string> more) {
  list.insert(list.end(), more);
  return list;
}

void refuse(backend_report& to, const caf::error& why) {
  auto failed = to_fault(why);
  to.available = false;
  to.reason = failed.message;
  to.remedy = failed.hint;
}

backend_report probe_virtual() {
  auto result = backend_report{};
  result.available = true;
  result.features = file_features;
  result.network_modes = {"none"};
  result.isolation = "memory";
  result.memory_limit = result.process_limit = "none";
  return result;
}

backend_report
probe_unrestricted(const std::shared_ptr<process_thread>& thread) {
  auto result = backend_report{};
  auto runner = make_host_runner(thread);
  result.available = static_cast<bool>(runner);
  result.features = with(file_features, {"process_spawn", "pty"});
  result.network_modes = {"inherit"};
  result.isolation = "none";
  result.memory_limit = result.process_limit = "none";
  if (!runner)
    refuse(result, runner.error());
  else
    result.reason = "commands are not contained";
  return result;
}

backend_report probe_namespaces(const std::shared_ptr<process_thread>& thread,
                                const network_settings& network) {
  auto result = backend_report{};
  result.features = with(
    file_features, {"process_spawn", "no_process_spawn", "pty", "network_none",
                    "network_allowlist", "network_external", "unix_sockets"});
  result.network_modes = {"none", "inherit", "allowlist", "external"};
  result.isolation = "namespace";
  result.memory_limit = result.process_limit = "none";
  auto host = find_bubblewrap_host();
  if (!host) {
    refuse(result, host.error());
    return result;
  }
  if (host->cgroups.version != 0)
    result.memory_limit = "cgroup v" + std::to_string(host->cgroups.version);
  else
    result.memory_limit = "sampled";
  // The kernel counts nobody's processes for root.
  if (host->cgroups.version != 0)
    result.process_limit = "cgroup";
  else if (::getuid() != 0)
    result.process_limit = "rlimit";
  if (host->cgroups.version == 0)
    result.reason = host->cgroups.reason;
  if (network.mode == "external")
    result.reason += (result.reason.empty() ? "the gateway " : "; the gateway ")
                     + network.gateway + " is not verified";
  if (auto failed = probe_bubblewrap(thread, *host))
    refuse(result, failed);
  else
    result.available = true;
  return result;
}

// Docker and podman are both looked for where no section says which.
backend_report probe_engine(const std::shared_ptr<process_thread>& thread,
                            const sandbox_settings& policy) {
  auto result = backend_report{};
  result.features = with(file_features, {"process_spawn", "network_none"});
  result.network_modes = {"none", "inherit"};
  result.isolation = "container";
  result.memory_limit = result.process_limit = "cgroup";
  auto tried = policy;
  auto found = probe_container(thread, tried);
  if (!found && !policy.container) {
    tried.container = container_settings{};
    tried.container->engine = "podman";
    if (auto other = probe_container(thread, tried))
      found = std::move(other);
  }
  if (!found) {
    refuse(result, found.error());
    return result;
  }
  result.available = true;
  auto has_image = policy.container && !policy.container->image.empty();
  result.reason = *found + (has_image ? "" : "; a policy must name an image");
  return result;
}

// Only one that a policy names can be tried.
backend_report probe_remote(const std::shared_ptr<process_thread>& thread,
                            const sandbox_settings& policy) {
  auto result = backend_report{};
  result.features = with(file_features, {"process_spawn"});
  result.isolation = "remote";
  result.memory_limit = result.process_limit = "none";
  if (!policy.remote) {
    result.reason = "a policy must name a command or a URL for it";
    return result;
  }
  auto opened = open_remote_sandbox(thread, policy);
  if (!opened) {
    refuse(result, opened.error());
    return result;
  }
  auto spec = plan_remote({{"true"}, {}, std::chrono::seconds{10}, {}}, policy);
  auto done = std::promise<caf::expected<process_result>>{};
  opened->commands->start(std::move(*spec),
                          [&done](auto x) { done.set_value(std::move(x)); });
  auto tried = done.get_future().get();
  if (!tried)
    refuse(result, tried.error());
  else
    result.available = true;
  if (tried)
    result.reason = "what contains its commands is not known here";
  return result;
}

backend_report probe_later(const std::string& why) {
  auto result = backend_report{};
  result.reason = why;
  result.isolation = "none";
  result.memory_limit = result.process_limit = "none";
  return result;
}

} // namespace

std::vector<std::string> backend_names() {
  return {"virtual",   "unrestricted", "bubblewrap",
          "container", "seatbelt",     "remote"};
}

caf::expected<backend_report>
probe_backend(const std::string& name, std::shared_ptr<process_thread> thread,
              const sandbox_settings& policy) {
  auto result = backend_report{};
  if (name == "virtual")
    result = probe_virtual();
  else if (name == "unrestricted" || name == "local")
    result = probe_unrestricted(thread);
  else if (name == "bubblewrap" || name == "native")
    result = probe_namespaces(thread, policy.network);
  else if (name == "seatbelt")
    result = probe_later(to_fault(check_seatbelt()).message);
  else if (name == "container")
    result = probe_engine(thread, policy);
  else if (name == "remote")
    result = probe_remote(thread, policy);
  else
    return make_error(errc::configuration,
                      "there is no sandbox \"" + name + "\"", {},
                      "virtual, unrestricted, native, bubblewrap, "
                      "container, seatbelt or remote");
  result.backend = name;
  return result;
}

} // namespace troupe
