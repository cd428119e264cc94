#include "troupe/config/errc.hpp"
#include "troupe/sandbox/backend_report.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <fstream>
#include <future>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

// The first word of a file of the kernel's; empty: there is none.
std::string setting(const char* path) {
  auto in = std::ifstream{path};
  auto result = std::string{};
  in >> result;
  return result;
}

/// A switch of the host that keeps users from making namespaces.
struct obstacle {
  const char* path;
  const char* value;
  const char* layer;
  const char* remedy;
};

constexpr obstacle obstacles[] = {
  {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
   "AppArmor restricts user namespaces",
   "give bwrap an AppArmor profile that allows userns, or as root: sysctl "
   "kernel.apparmor_restrict_unprivileged_userns=0"},
  {"/proc/sys/kernel/unprivileged_userns_clone", "0",
   "the kernel refuses user namespaces to users",
   "as root: sysctl kernel.unprivileged_userns_clone=1"},
  {"/proc/sys/user/max_user_namespaces", "0",
   "the kernel is set to allow no user namespaces",
   "as root: sysctl user.max_user_namespaces=10000"},
};

// What bubblewrap says names the call that failed; this, who refused it.
caf::error explain(const caf::error& why) {
  auto failed = to_fault(why);
  if (::getuid() != 0)
    for (const auto& one : obstacles)
      if (setting(one.path) == one.value)
        return make_error(errc::sandbox, failed.message + "; " + one.layer, {},
                          one.remedy);
  return make_error(errc::sandbox, failed.message, {},
                    "a container's seccomp profile may forbid namespaces or "
                    "mounting /proc: run troupe outside of it, or allow them");
}

sandbox_settings trial_policy() {
  auto result = sandbox_settings{};
  result.provider = "bubblewrap";
  result.warm = false;
  result.limits.wall = std::chrono::seconds{10};
  return result;
}

caf::error run_trial(const std::shared_ptr<process_runner>& runner,
                     const std::string& folder) {
  auto spec = process_spec{};
  spec.argv = {"/bin/sh", "-c", "echo fine"};
  spec.directory = folder;
  spec.wall = std::chrono::seconds{10};
  auto done = std::promise<caf::expected<process_result>>{};
  runner->start(std::move(spec),
                [&done](auto result) { done.set_value(std::move(result)); });
  auto result = done.get_future().get();
  if (!result)
    return explain(result.error());
  if (result->stdout_text == "fine\n")
    return {};
  return make_error(errc::sandbox,
                    "a shell does not run in a sandbox here: status "
                      + std::to_string(result->status) + " "
                      + result->stderr_text);
}

} // namespace

caf::error probe_bubblewrap(std::shared_ptr<process_thread> thread,
                            const bubblewrap_host& host) {
  auto settings = workspace_settings{};
  settings.provider = "temporary";
  auto where = workspace::open(settings, "/");
  if (!where)
    return where.error();
  auto runner = make_bubblewrap_runner(std::move(thread), host, *where,
                                       trial_policy());
  if (!runner)
    return runner.error();
  auto result = run_trial(*runner, (*where)->root().path);
  runner->reset();
  auto closed = (*where)->close();
  return result ? result : closed;
}

} // namespace troupe
