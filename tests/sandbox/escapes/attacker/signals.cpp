#include "sandbox/escapes/attacker/attempts.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::attacker {

namespace {

pid_t victim() {
  return static_cast<pid_t>(needed_number("VICTIM"));
}

pid_t warden() {
  return static_cast<pid_t>(needed_number("WARDEN"));
}

long see_victim() {
  return ::kill(victim(), 0);
}

long kill_victim() {
  return ::kill(victim(), SIGKILL);
}

long kill_victims_group() {
  return ::kill(-victim(), SIGKILL);
}

long see_warden() {
  return ::kill(warden(), 0);
}

long stop_warden() {
  return ::kill(warden(), SIGSTOP);
}

long kill_warden() {
  return ::kill(warden(), SIGKILL);
}

long kill_wardens_group() {
  return ::kill(-warden(), SIGKILL);
}

long kill_wardens_thread() {
  return ::syscall(SYS_tgkill, warden(), warden(), SIGKILL);
}

long queue_to_warden() {
  auto what = siginfo_t{};
  what.si_code = SI_QUEUE;
  what.si_signo = SIGKILL;
  return ::syscall(SYS_rt_sigqueueinfo, warden(), SIGKILL, &what);
}

long kill_warden_by_descriptor() {
  auto fd = ::syscall(SYS_pidfd_open, warden(), 0);
  return fd < 0 ? -1
                : ::syscall(SYS_pidfd_send_signal, fd, SIGKILL, nullptr, 0);
}

// The signal that tells of data, chosen and sent to somebody else.
long kill_warden_by_pipe() {
  int ends[2];
  if (::pipe(ends) != 0 || ::fcntl(ends[0], F_SETSIG, SIGKILL) != 0
      || ::fcntl(ends[0], F_SETOWN, warden()) != 0
      || ::fcntl(ends[0], F_SETFL, O_ASYNC) != 0)
    return -1;
  if (::write(ends[1], "x", 1) != 1)
    return -1;
  ::usleep(20'000);
  // Whoever is still there was not killed.
  if (::getppid() == 1 || ::kill(warden(), 0) == 0 || errno == EPERM) {
    errno = EPERM;
    return -1;
  }
  return 0;
}

long see_other() {
  return ::kill(static_cast<pid_t>(needed_number("OTHER")), 0);
}

long kill_other() {
  return ::kill(static_cast<pid_t>(needed_number("OTHER")), SIGKILL);
}

constexpr auto attempts = std::array{
  attempt{"signal-see-victim", see_victim},
  attempt{"signal-kill-victim", kill_victim},
  attempt{"signal-kill-victims-group", kill_victims_group},
  attempt{"warden-see", see_warden},
  attempt{"warden-stop", stop_warden},
  attempt{"warden-kill", kill_warden},
  attempt{"warden-kill-group", kill_wardens_group},
  attempt{"warden-kill-thread", kill_wardens_thread},
  attempt{"warden-queue", queue_to_warden},
  attempt{"warden-kill-by-descriptor", kill_warden_by_descriptor},
  attempt{"warden-kill-by-pipe", kill_warden_by_pipe},
  attempt{"other-see", see_other},
  attempt{"other-kill", kill_other},
};

} // namespace

std::span<const attempt> signal_attempts() {
  return attempts;
}

} // namespace troupe::attacker
