#include "troupe/sandbox/warden/overseer.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::warden {

namespace {

constexpr auto children_file = "/proc/thread-self/children";

int64_t now() {
  auto time = timespec{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

bool is_among(pid_t pid, const pid_t* those) {
  for (; those != nullptr && *those != 0; ++those)
    if (*those == pid)
      return true;
  return false;
}

uint32_t cpu_of_children() {
  auto used = rusage{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  auto micros = (int64_t{used.ru_utime.tv_sec} + used.ru_stime.tv_sec)
                  * 1'000'000
                + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
  return static_cast<uint32_t>(micros / 1000);
}

// A cgroup is busy until the last of its processes has been reaped, by whoever
// that is up to.
void remove_leftover(const char* path) {
  constexpr auto tries = 500;
  for (auto i = 0; i < tries; ++i) {
    if (::rmdir(path) == 0 || errno != EBUSY)
      return;
    auto pause = timespec{0, 2'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

class overseer {
public:
  overseer(pid_t command, const command_header& x)
    : command_(command),
      drain_(x.drain),
      // No clock overflows.
      time_out_(now() + static_cast<int64_t>(std::min(x.wall, longest))) {
    // nop
  }

  /// Returns when nothing is left, with what to tell.
  report run(int signals) {
    while (reap()) {
      note_time();
      if (killing_)
        kill_children(nullptr);
      wait(signals);
    }
    return {report::kind::gone, status_, ordered_ ? 1 : 0, cpu_of_children()};
  }

private:
  static constexpr auto longest = uint64_t{1000} * 3600 * 24 * 366;

  void note_time() {
    auto time = now();
    if (ended_ && time >= deadline_)
      killing_ = true;
    // Its owner has had his time to end it in a better way.
    if (!ended_ && time >= time_out_)
      ordered_ = killing_ = true;
  }

  // False when there are no children: no descendants, then, either.
  bool reap() {
    for (;;) {
      auto status = 0;
      auto pid = ::waitpid(-1, &status, WNOHANG);
      if (pid <= 0)
        return pid == 0 || errno != ECHILD;
      if (pid != command_)
        continue;
      status_ = status;
      ended_ = true;
      deadline_ = now() + drain_;
    }
  }

  void wait(int signals) {
    pollfd fds[] = {{signals, POLLIN, 0}, {control_, POLLIN, 0}};
    if (::poll(fds, 2, timeout()) <= 0)
      return;
    auto info = signalfd_siginfo{};
    if (fds[0].revents != 0 && ::read(signals, &info, sizeof info) > 0
        && info.ssi_signo == SIGTERM)
      killing_ = true;
    if (fds[1].revents != 0)
      obey();
  }

  int timeout() const {
    // A child that was found dying needs no second look soon; one that was
    // forked meanwhile does.
    if (killing_)
      return 5;
    auto left = (ended_ ? deadline_ : time_out_) - now();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
  }

  void obey() {
    auto what = order::kill;
    auto count = ::read(control_, &what, 1);
    if (count < 0 && errno == EINTR)
      return;
    // The owner is gone: no more to hear.
    if (count <= 0)
      control_ = -1;
    if (what == order::signal)
      return pass_signal();
    ordered_ = ordered_ || !ended_;
    if (what == order::kill)
      killing_ = true;
    else if (!ended_)
      end_command();
  }

  void pass_signal() {
    auto number = char{0};
    // Both bytes were written at once.
    if (::read(control_, &number, 1) == 1 && !ended_)
      ::kill(-command_, number);
  }

  // The group has this id as long as the command is not reaped.
  void end_command() {
    ::kill(-command_, SIGTERM);
    ::kill(-command_, SIGCONT);
  }

  pid_t command_;
  uint32_t drain_;
  int64_t time_out_;
  int control_ = control_fd;
  int status_ = 0;
  int64_t deadline_ = 0;
  bool ended_ = false;
  bool ordered_ = false;
  bool killing_ = false;
};

int block_signals() {
  auto all = sigset_t{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  auto heard = sigset_t{};
  ::sigemptyset(&heard);
  ::sigaddset(&heard, SIGCHLD);
  ::sigaddset(&heard, SIGTERM);
  return ::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Before anything else: from here on the owner's end is ours, and nothing of
// what it had open is.
bool settle() {
  ::syscall(SYS_close_range, control_fd + 1, ~0U, 0);
  ::fcntl(control_fd, F_SETFD, FD_CLOEXEC);
  // The second way to learn of the owner's end, should something else hold his
  // side of the socket open.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // The command shall not be able to trace us.
  ::prctl(PR_SET_DUMPABLE, 0);
  return ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0
         && ::access(children_file, R_OK) == 0;
}

} // namespace

int serve_command(confinement confine) {
  auto why = report{};
  auto what = command{};
  auto settled = settle();
  why.value = errno;
  auto signals = block_signals();
  if (!read_command(control_fd, what))
    return EXIT_FAILURE;
  auto pid = settled && signals >= 0 ? start(what, confine, why) : -1;
  // The pipes belong to the command alone: their end is its end.
  for (auto fd = 0; fd < control_fd; ++fd)
    ::close(fd);
  if (pid > 0)
    why = overseer{pid, what.header}.run(signals);
  for (auto* path : what.leftovers)
    if (path != nullptr)
      remove_leftover(path);
  ::send(control_fd, &why, sizeof why, MSG_NOSIGNAL);
  return EXIT_SUCCESS;
}

// A child that is not reaped keeps its id, so nobody else can be hit. The
// children of one that is killed are ours by the next look.
void kill_children(const pid_t* keep) {
  auto fd = ::open(children_file, O_RDONLY | O_CLOEXEC);
  char text[4096];
  auto count = fd < 0 ? 0 : ::read(fd, text, sizeof text);
  if (fd >= 0)
    ::close(fd);
  auto pid = pid_t{0};
  for (auto i = ssize_t{0}; i < count; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      pid = pid * 10 + (text[i] - '0');
      continue;
    }
    // Only a number with its end is whole.
    if (pid > 0 && !is_among(pid, keep))
      ::kill(pid, SIGKILL);
    pid = 0;
  }
}

} // namespace troupe::warden
