#include "troupe/sandbox/warden_process.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/warden/protocol.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>

namespace troupe {

namespace {

caf::error system_error(const std::string& what, int code) {
  return make_error(errc::sandbox,
                    what + ": " + std::generic_category().message(code));
}

// Above the numbers that the warden gets its own at, so that none is
// overwritten before it is passed on.
unique_fd lift(int fd) {
  auto low = unique_fd{fd};
  return unique_fd{::fcntl(low.get(), F_DUPFD_CLOEXEC, 16)};
}

struct fd_pair {
  unique_fd ours;
  unique_fd theirs;

  explicit operator bool() const {
    return ours && theirs;
  }
};

fd_pair make_socket() {
  auto fds = std::array<int, 2>{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0)
    return {};
  return {unique_fd{fds[0]}, lift(fds[1])};
}

enum class direction { to_child, from_child };

fd_pair make_pipe(direction way) {
  auto fds = std::array<int, 2>{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0)
    return {};
  if (way == direction::to_child)
    std::swap(fds[0], fds[1]);
  return {unique_fd{fds[0]}, lift(fds[1])};
}

fd_pair open_null() {
  auto fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return {};
  return {unique_fd{}, lift(fd)};
}

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

} // namespace

caf::expected<warden_process> spawn_warden(const std::string& path,
                                           stdin_mode mode) {
  auto control = make_socket();
  auto input = mode == stdin_mode::pipe ? make_pipe(direction::to_child)
                                        : open_null();
  auto output = make_pipe(direction::from_child);
  auto errors = make_pipe(direction::from_child);
  if (!control || !input.theirs || !output || !errors)
    return system_error("cannot start a command", errno);
  auto plan = spawn_plan{};
  plan.pass(input.theirs, STDIN_FILENO);
  plan.pass(output.theirs, STDOUT_FILENO);
  plan.pass(errors.theirs, STDERR_FILENO);
  plan.pass(control.theirs, warden::control_fd);
  auto result = warden_process{};
  if (auto code = plan.run(path, result.pid))
    return system_error("cannot start " + path, code);
  result.control = std::move(control.ours);
  result.stdin_pipe = std::move(input.ours);
  result.stdout_pipe = std::move(output.ours);
  result.stderr_pipe = std::move(errors.ours);
  return result;
}

caf::expected<std::string> find_warden() {
  namespace fs = std::filesystem;
  auto failed = std::error_code{};
  auto program = fs::read_symlink("/proc/self/exe", failed);
  auto folder = program.parent_path();
  for (const auto* candidate : {TROUPE_WARDEN_FROM_PROGRAM, "troupe-warden"}) {
    auto path = (folder / candidate).lexically_normal().string();
    if (!failed && ::access(path.c_str(), X_OK) == 0)
      return path;
  }
  return make_error(errc::sandbox,
                    "the helper program troupe-warden is missing",
                    folder.string(),
                    "install it beside the program, or tell the runner its "
                    "path");
}

} // namespace troupe
