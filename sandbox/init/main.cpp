// troupe-sandbox-init: the first process in a sandbox's PID namespace.
//
// bubblewrap starts it with the base of the file system in place. It checks
// that the mounts are what its owner meant, makes the finer ones, gives up
// every privilege, filters system calls, and then starts a warden for each
// command its owner sends, or has one that has done its work take the next.
// When it ends, by its owner's wish or his death, the kernel ends everything in
// the namespace.

#include "troupe/sandbox/init/filter.hpp"
#include "troupe/sandbox/init/mounts.hpp"
#include "troupe/sandbox/init/privileges.hpp"
#include "troupe/sandbox/init/scope.hpp"
#include "troupe/sandbox/init/setup_reader.hpp"
#include "troupe/sandbox/init/sockets.hpp"
#include "troupe/sandbox/init/wardens.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::init {

namespace {

bool receive(setup_reader& to) {
  auto packet = std::vector<char>(max_packet);
  auto count = ::recv(control_fd, packet.data(), packet.size(), 0);
  if (count < 0)
    return false;
  packet.resize(static_cast<size_t>(count));
  return to.open(std::move(packet));
}

answer refusal(int code, const char* what, const char* where = "") {
  auto result = answer{};
  result.error = code != 0 ? code : EPROTO;
  std::snprintf(result.what, sizeof result.what, "%s%s", what, where);
  return result;
}

// The kernel keeps this limit exactly, but not for root; a look at the tasks,
// now and then, names it. One more than is allowed, so that it can be seen.
bool limit_tasks(const setup& x) {
  constexpr auto beyond = rlim_t{8};
  if (x.most_tasks == 0)
    return true;
  auto most = rlimit{x.most_tasks + beyond, x.most_tasks + beyond};
  return ::setrlimit(RLIMIT_NPROC, &most) == 0;
}

answer prepare(setup_reader& in, sockets& open,
               std::vector<std::string>& tmpfs) {
  auto one = mount_step{};
  for (auto left = in.header().steps; left > 0; --left) {
    if (!in.next(one))
      return refusal(EPROTO, "the setup of the sandbox cannot be read");
    auto done = sockets::is_about(one.what) ? open.open(one) : carry_out(one);
    if (!done)
      return refusal(errno,
                     one.what.kind == step_kind::verify
                         || one.what.kind == step_kind::nest
                       ? "mounting "
                       : "preparing ",
                     one.path);
    if (one.what.kind == step_kind::tmpfs)
      tmpfs.emplace_back(one.path);
  }
  if (!limit_tasks(in.header()))
    return refusal(errno, "limiting processes");
  if (!drop_privileges())
    return refusal(errno, "giving up privileges");
  if (auto code = install_filter(in.header().unix_sockets != 0))
    return refusal(code, "filtering system calls");
  return {};
}

int listen_to_signals() {
  auto all = sigset_t{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  auto heard = sigset_t{};
  ::sigemptyset(&heard);
  ::sigaddset(&heard, SIGCHLD);
  return ::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
}

// False when the owner is gone.
bool obey(wardens& under) {
  auto what = order{};
  if (!receive_order(control_fd, what))
    return false;
  switch (what.kind) {
    case order_kind::start:
      return false;
    case order_kind::begin:
      return under.begin();
    case order_kind::wake:
      under.wake(what.id);
      break;
    case order_kind::relieve_processes:
      under.relieve_processes(what.tasks);
      break;
    case order_kind::relieve_memory:
      under.relieve_memory();
      break;
  }
  return true;
}

void serve(int signals, const warden_gate& gate, wardens& under) {
  constexpr auto interval = 100;
  for (;;) {
    pollfd fds[] = {{signals, POLLIN, 0},
                    {control_fd, POLLIN, 0},
                    {gate.calls, POLLIN, 0},
                    {under.is_closed() ? gate.starts : -1, POLLIN, 0}};
    auto count = ::poll(fds, 4, under.are_watched() ? interval : -1);
    if (under.are_watched())
      under.look();
    if (count <= 0)
      continue;
    auto info = signalfd_siginfo{};
    if (fds[0].revents != 0
        && ::read(signals, &info, sizeof info) == sizeof info)
      under.reap();
    if (fds[2].revents != 0)
      under.answer_call();
    if (fds[3].revents != 0 && under.is_closed())
      under.take_order();
    if (fds[1].revents != 0 && !obey(under))
      return;
  }
}

} // namespace

int run() {
  ::syscall(SYS_close_range, control_fd + 3, ~0U, 0);
  ::fcntl(control_fd, F_SETFD, FD_CLOEXEC);
  auto in = setup_reader{};
  if (!receive(in))
    return 1;
  auto signals = listen_to_signals();
  auto open = sockets{};
  auto gate = warden_gate{};
  auto tmpfs = std::vector<std::string>{};
  auto can_hear = signals >= 0 && open_gate(gate);
  auto deaf = refusal(errno, "hearing of its owner");
  open.add(gate.owner);
  auto ready = can_hear ? prepare(in, open, tmpfs) : deaf;
  if (ready.error == 0 && !open_scope(gate.scope))
    ready = refusal(errno, "opening a domain of signals");
  open.send(ready);
  auto under = wardens{in.header(), std::move(tmpfs), gate};
  if (ready.error == 0)
    serve(signals, gate, under);
  return 0;
}

} // namespace troupe::init

// It does not matter what it returns: the namespace ends.
int main() {
  ::_exit(troupe::init::run());
}
