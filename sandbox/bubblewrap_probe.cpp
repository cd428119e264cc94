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

/// A sandbox over a folder that goes with it, to try things in.
class trial_sandbox {
public:
  static caf::expected<std::unique_ptr<trial_sandbox>>
  open(std::shared_ptr<process_thread> thread, const bubblewrap_host& host) {
    auto settings = workspace_settings{};
    settings.provider = "temporary";
    auto where = workspace::open(settings, "/");
    if (!where)
      return std::move(where.error());
    auto policy = sandbox_settings{};
    policy.provider = "bubblewrap";
    auto runner = make_bubblewrap_runner(std::move(thread), host, *where,
                                         policy);
    if (!runner)
      return std::move(runner.error());
    auto result = std::make_unique<trial_sandbox>();
    result->where_ = std::move(*where);
    result->runner_ = std::move(*runner);
    return result;
  }

  caf::expected<process_result> run(const std::string& script) {
    auto spec = process_spec{};
    spec.argv = {"/bin/sh", "-c", script};
    spec.directory = where_->root().path;
    spec.environment = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}};
    spec.wall = std::chrono::seconds{10};
    auto done = std::promise<caf::expected<process_result>>{};
    runner_->start(std::move(spec),
                   [&done](auto result) { done.set_value(std::move(result)); });
    return done.get_future().get();
  }

  caf::error close() {
    runner_ = nullptr; // waits for its sandbox
    return where_->close();
  }

private:
  std::shared_ptr<workspace> where_;
  std::shared_ptr<process_runner> runner_;
};

caf::error run_trial(trial_sandbox& in) {
  auto result = in.run("echo fine");
  if (!result)
    return explain(result.error());
  if (result->stdout_text == "fine\n")
    return {};
  return make_error(errc::sandbox,
                    "a shell does not run in a sandbox here: status "
                      + std::to_string(result->status) + " "
                      + result->stderr_text);
}

/// A way out, and a script that succeeds when it leads there.
struct way_out {
  const char* what;
  std::string script;
};

std::vector<way_out> essential_ways() {
  auto self = std::to_string(::getpid());
  return {
    {"read the host's files", "cat /etc/shadow || ls /root || ls /home"},
    {"write to the system", "echo x > /usr/x || echo x > /etc/x"},
    {"change the kernel's settings",
     "v=$(cat /proc/sys/kernel/core_pattern) && test -n \"$v\" "
     "&& echo \"$v\" > /proc/sys/kernel/core_pattern"},
    {"see this process",
     "test -d /proc/" + self + " && grep -q troupe /proc/" + self + "/comm"},
    {"mount a file system", "mount -t tmpfs none /tmp"},
    {"enter a user namespace", "unshare -U true"},
    {"leave a set-user-id file", "cp /bin/true t && chmod 4755 t"},
    {"have capabilities",
     "! grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status"},
    {"gain privileges",
     "! grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/self/status"},
    {"use all system calls",
     "! grep -q '^Seccomp:[[:space:]]*2$' /proc/self/status"},
    {"have a network", "test $(grep -c : /proc/net/dev) -ne 1"},
  };
}

} // namespace

caf::error probe_bubblewrap(std::shared_ptr<process_thread> thread,
                            const bubblewrap_host& host) {
  auto opened = trial_sandbox::open(std::move(thread), host);
  if (!opened)
    return std::move(opened.error());
  auto result = run_trial(**opened);
  auto closed = (*opened)->close();
  return result ? result : closed;
}

caf::expected<std::vector<escape_trial>>
try_escapes(std::shared_ptr<process_thread> thread,
            const bubblewrap_host& host) {
  auto opened = trial_sandbox::open(std::move(thread), host);
  if (!opened)
    return std::move(opened.error());
  auto result = std::vector<escape_trial>{};
  for (const auto& way : essential_ways()) {
    auto tried = (*opened)->run("{ " + way.script + "; } 2>/dev/null");
    if (!tried)
      return explain(tried.error());
    result.push_back({way.what, tried->status != 0});
  }
  if (auto failed = (*opened)->close())
    return failed;
  return result;
}

} // namespace troupe
