#include "troupe/sandbox/host_seat.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/warden/protocol.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

#include <spawn.h>
#include <sys/wait.h>

namespace troupe {

namespace {

/// The arguments of posix_spawn that need releasing.
class spawn_plan {
public:
  spawn_plan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    // A session of its own: no terminal of ours sends it signals.
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID);
  }

  spawn_plan(const spawn_plan&) = delete;
  spawn_plan& operator=(const spawn_plan&) = delete;

  ~spawn_plan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  void pass(const unique_fd& fd, int as) {
    ::posix_spawn_file_actions_adddup2(&actions_, fd.get(), as);
  }

  // Returns an errno value.
  int run(const std::string& path, pid_t& pid) {
    auto name = std::string{"troupe-warden"};
    auto argv = std::array<char*, 2>{name.data(), nullptr};
    auto environment = std::array<char*, 1>{nullptr};
    return ::posix_spawn(&pid, path.c_str(), &actions_, &attributes_,
                         argv.data(), environment.data());
  }

private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// A warden's id is that of its process, which is kept until it is released.
class host_seat : public warden_seat {
public:
  explicit host_seat(std::string warden) : warden_(std::move(warden)) {
    // nop
  }

  caf::expected<uint64_t> place(warden_ends ends) override {
    auto plan = spawn_plan{};
    plan.pass(ends.input, STDIN_FILENO);
    plan.pass(ends.output, STDOUT_FILENO);
    plan.pass(ends.errors, STDERR_FILENO);
    plan.pass(ends.control, warden::control_fd);
    auto pid = pid_t{-1};
    if (auto code = plan.run(warden_, pid))
      return make_error(errc::sandbox,
                        "cannot start " + warden_ + ": "
                          + std::generic_category().message(code));
    return static_cast<uint64_t>(pid);
  }

  void wake(uint64_t id) override {
    ::kill(static_cast<pid_t>(id), SIGCONT);
  }

  void release(uint64_t id) override {
    ::waitpid(static_cast<pid_t>(id), nullptr, 0);
  }

  void abandon(uint64_t id,
               std::function<void(std::string sentence)> then) override {
    ::kill(static_cast<pid_t>(id), SIGKILL);
    release(id);
    then("some of its processes may still run");
  }

private:
  std::string warden_;
};

} // namespace

warden_seat::~warden_seat() {
  // nop
}

std::shared_ptr<warden_seat> make_host_seat(std::string warden) {
  return std::make_shared<host_seat>(std::move(warden));
}

caf::expected<std::string> find_helper(const std::string& name) {
  namespace fs = std::filesystem;
  auto failed = std::error_code{};
  auto program = fs::read_symlink("/proc/self/exe", failed);
  auto folder = program.parent_path();
  for (const auto& candidate :
       {std::string{TROUPE_HELPERS_FROM_PROGRAM} + "/" + name, name}) {
    auto path = (folder / candidate).lexically_normal().string();
    if (!failed && ::access(path.c_str(), X_OK) == 0)
      return path;
  }
  return make_error(errc::sandbox, "the helper program " + name + " is missing",
                    folder.string(),
                    "install it beside the program, or tell the runner its "
                    "path");
}

} // namespace troupe
