#include "troupe/sandbox/warden/overseer.hpp"

#include "troupe/sandbox/warden/descendants.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <limits>

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

int64_t now() {
  auto time = timespec{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

// Of all there ever were, in microseconds.
int64_t cpu_of_children() {
  auto used = rusage{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return (int64_t{used.ru_utime.tv_sec} + used.ru_stime.tv_sec) * 1'000'000
         + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
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

// Those there can be: it takes long to find out.
int64_t processors() {
  static const auto result = std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF));
  return result;
}

class overseer {
public:
  /// `cpu_before` is what the children of this process had taken before.
  overseer(pid_t command, const command_header& x, uint64_t id,
           int64_t cpu_before)
    : command_(command),
      id_(short_id(id)),
      cpu_before_(cpu_before),
      drain_(x.drain),
      cpu_(x.cpu),
      // No clock overflows.
      time_out_(now() + static_cast<int64_t>(std::min(x.wall, longest))) {
    // nop
  }

  /// Returns when nothing is left, with what to tell.
  report run(int signals) {
    // It has taken nothing yet.
    if (cpu_ != 0)
      look_when_left(cpu_);
    while (reap()) {
      note_time();
      if (now() >= next_look_)
        note_cpu();
      if (killing_)
        kill_descendants();
      wait(signals);
    }
    return {report::kind::gone, status_, ordered_ ? 1 : 0,
            static_cast<uint32_t>(cpu_of_ended()), exceeded_};
  }

private:
  static constexpr auto longest = uint64_t{1000} * 3600 * 24 * 366;
  static constexpr auto never = std::numeric_limits<int64_t>::max();
  // What is left of a command that was ended has this long to do the same.
  static constexpr auto soon = uint32_t{20};

  void note_time() {
    auto time = now();
    if (ended_ && time >= deadline_)
      killing_ = true;
    // Its owner has had his time to end it in a better way.
    if (!ended_ && time >= time_out_)
      ordered_ = killing_ = true;
  }

  // In milliseconds.
  int64_t cpu_of_ended() const {
    return (cpu_of_children() - cpu_before_) / 1000;
  }

  void note_cpu() {
    next_look_ = never;
    if (cpu_ == 0 || killing_)
      return;
    auto left = int64_t{cpu_} - cpu_of_ended() - cpu_of_descendants();
    if (left <= 0)
      end_for(exceeded::cpu);
    else
      look_when_left(left);
  }

  // The tree cannot take what is left to it sooner than with all processors
  // at once; until then there is no need to look.
  void look_when_left(int64_t left) {
    constexpr auto soonest = int64_t{20};
    next_look_ = now() + std::max(soonest, left / processors());
  }

  void end_for(exceeded what) {
    if (!ended_ && exceeded_ == exceeded::none)
      exceeded_ = what;
    killing_ = true;
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
      // Nobody waits for the tail of what was ended by order.
      deadline_ = now() + (ordered_ ? std::min(drain_, soon) : drain_);
    }
  }

  void wait(int signals) {
    pollfd fds[] = {{signals, POLLIN, 0}, {control_, POLLIN, 0}};
    if (::poll(fds, 2, timeout()) <= 0)
      return;
    auto info = signalfd_siginfo{};
    if (fds[0].revents != 0 && ::read(signals, &info, sizeof info) > 0)
      hear(info);
    if (fds[1].revents != 0)
      obey();
  }

  // Who watches over the memory and the number of processes says so.
  void hear(const signalfd_siginfo& info) {
    auto signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGTERM)
      killing_ = true;
    else if (id_ != 0 && info.ssi_code == SI_QUEUE && info.ssi_int != id_)
      return;
    else if (signal == memory_signal)
      end_for(exceeded::memory);
    else if (signal == processes_signal)
      end_for(exceeded::processes);
  }

  int timeout() const {
    // A child that was found dying needs no second look soon; one that was
    // forked meanwhile does.
    if (killing_)
      return 5;
    auto left = std::min(ended_ ? deadline_ : time_out_, next_look_) - now();
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
  int id_;
  int64_t cpu_before_;
  uint32_t drain_;
  uint32_t cpu_;
  int64_t time_out_;
  int control_ = control_fd;
  int status_ = 0;
  int64_t deadline_ = 0;
  int64_t next_look_ = never;
  exceeded exceeded_ = exceeded::none;
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
  ::sigaddset(&heard, memory_signal);
  ::sigaddset(&heard, processes_signal);
  return ::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
}

// False with errno set.
bool settle() {
  // The second way to learn of the owner's end, should something else hold his
  // side of the socket open.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // The command shall not be able to trace us.
  ::prctl(PR_SET_DUMPABLE, 0);
  return ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && can_see_children();
}

// What was meant for the command before.
void forget_signals(int signals) {
  auto info = signalfd_siginfo{};
  while (::read(signals, &info, sizeof info) > 0)
    continue;
}

void close_from(int first, int past_last) {
  for (auto fd = first; fd < past_last; ++fd)
    ::close(fd);
}

} // namespace

equipment get_ready() {
  auto result = equipment{};
  auto settled = settle();
  result.failed = settled ? 0 : errno;
  reset_signals();
  result.signals = block_signals();
  if (settled && result.signals < 0)
    result.failed = errno;
  processors();
  return result;
}

bool serve_command(const equipment& with, const confinement& confine,
                   uint64_t id) {
  auto why = report{};
  auto what = command{};
  ::fcntl(control_fd, F_SETFD, FD_CLOEXEC);
  forget_signals(with.signals);
  auto cpu_before = cpu_of_children();
  auto is_told = read_command(control_fd, what);
  // Whose output is only collected need not learn of its end before the report.
  auto kept = is_told && what.header.collected != 0 ? 1 : control_fd;
  if (is_told) {
    why.value = with.failed;
    auto pid = with.failed == 0 ? start(what, confine, why) : -1;
    // The pipes belong to the command alone: their end is its end.
    close_from(0, kept);
    if (pid > 0)
      why = overseer{pid, what.header, id, cpu_before}.run(with.signals);
    for (auto* path : what.leftovers)
      if (path != nullptr)
        remove_leftover(path);
    ::send(control_fd, &why, sizeof why, MSG_NOSIGNAL);
  }
  close_from(is_told ? kept : 0, control_fd + 1);
  // The next command's warden has no business with it.
  ::explicit_bzero(what.texts.data(), what.texts.size());
  return is_told;
}

} // namespace troupe::warden
