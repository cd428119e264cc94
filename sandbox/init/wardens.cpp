#include "troupe/sandbox/init/wardens.hpp"

#include "troupe/sandbox/init/filter.hpp"
#include "troupe/sandbox/init/scope.hpp"
#include "troupe/sandbox/init/usage.hpp"
#include "troupe/sandbox/warden/overseer.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::init {

namespace {

// The first that a command's warden may have open for itself.
constexpr auto first_of_ours = 16;

// The descriptors are taken at the lowest numbers that are free.
ssize_t receive(int socket, order& what, warden_fds& fds, int flags) {
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(warden_fds))] = {};
  auto data = iovec{&what, sizeof what};
  auto message = msghdr{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  fds.fill(-1);
  auto count = ssize_t{-1};
  do {
    count = ::recvmsg(socket, &message, flags);
  } while (count < 0 && errno == EINTR);
  const auto* part = count < 0 ? nullptr : CMSG_FIRSTHDR(&message);
  if (part != nullptr && part->cmsg_level == SOL_SOCKET
      && part->cmsg_type == SCM_RIGHTS)
    // No more than there is room for, or the kernel would have closed them.
    std::memcpy(fds.data(), CMSG_DATA(part), part->cmsg_len - CMSG_LEN(0));
  return count;
}

// In the process that becomes the program.
bool confine(const warden::command& what, int domain) {
  if (domain >= 0 && !enter_scope(domain))
    return false;
  if (what.header.alone != 0) {
    errno = install_spawn_filter();
    return errno == 0;
  }
  return true;
}

// Of this process and its command. The score can only be raised, and not by who
// cannot be traced.
void be_killed_first() {
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  auto fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd >= 0) {
    // Without it the kernel chooses by size alone.
    [[maybe_unused]] auto count = ::write(fd, "500", 3);
    ::close(fd);
  }
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// It may be stopped, by its command. The signal names the command: should the
// warden have the next one by now, it is not meant.
void end(const roster::entry& one, int signal) {
  auto value = sigval{};
  value.sival_int = warden::short_id(one.id);
  ::sigqueue(one.pid, signal, value);
  ::kill(one.pid, SIGCONT);
}

std::vector<pid_t> pids_of(const std::vector<roster::entry>& list) {
  auto result = std::vector<pid_t>{};
  for (const auto& one : list)
    result.push_back(one.pid);
  return result;
}

// The trees of `now` are those of `busy`, in this order.
void end_largest(const std::vector<roster::entry>& busy, const usage& now,
                 uint64_t tree_usage::* what, int signal) {
  auto largest = std::max_element(now.trees.begin(), now.trees.end(),
                                  [what](const auto& x, const auto& y) {
                                    return x.*what < y.*what;
                                  });
  if (largest == now.trees.end())
    return;
  end(busy[static_cast<size_t>(largest - now.trees.begin())], signal);
}

} // namespace

bool receive_order(int socket, order& what) {
  auto fds = warden_fds{};
  auto count = receive(socket, what, fds, MSG_CMSG_CLOEXEC);
  for (auto fd : fds)
    if (fd >= 0)
      ::close(fd);
  return count == sizeof what;
}

// Above the numbers that a command's descriptors get.
bool open_gate(warden_gate& to) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return false;
  auto calls = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  to.owner = pair[1];
  to.starts = ::fcntl(pair[0], F_DUPFD_CLOEXEC, first_of_ours);
  to.calls = ::fcntl(calls, F_DUPFD_CLOEXEC, first_of_ours);
  ::close(pair[0]);
  ::close(calls);
  return to.starts >= 0 && to.calls >= 0;
}

wardens::wardens(const setup& limits, std::vector<std::string> tmpfs,
                 const warden_gate& gate)
  : gate_(gate),
    limits_(limits),
    tmpfs_(std::move(tmpfs)) {
  // nop
}

bool wardens::begin() {
  if (!roster_.open())
    return false;
  begun_ = true;
  make_ready();
  return true;
}

// Before the order is there.
bool wardens::make_ready() {
  auto place = roster_.add();
  if (!place) {
    errno = EAGAIN;
    return false;
  }
  auto pid = ::fork();
  if (pid == 0)
    serve(*place);
  if (pid > 0)
    roster_.name(*place, pid);
  else
    roster_.remove(*place);
  return pid > 0;
}

// All that does not depend on the order is done before it is there.
void wardens::serve(size_t place) {
  if (limits_.killed_first != 0)
    be_killed_first();
  auto ready = warden::get_ready();
  ready.signals = ::fcntl(ready.signals, F_DUPFD_CLOEXEC, first_of_ours);
  // What an order brings comes to lie there.
  ::syscall(SYS_close_range, 0, first_of_ours - 1, 0);
  constexpr auto at = warden_fds{0, 1, 2, warden::control_fd};
  auto what = order{};
  auto fds = warden_fds{};
  while (receive(gate_.starts, what, fds, 0) == sizeof what && fds == at) {
    roster_.begin(place, what.id);
    if (limits_.most_memory != 0 || !roster_.has_idle())
      call_init();
    if (!warden::serve_command(ready, {confine, gate_.scope}, what.id)
        || !may_stay())
      break;
    roster_.end(place);
  }
  ::_exit(0);
}

void wardens::call_init() const {
  auto one = uint64_t{1};
  // It cannot be full: the init reads it.
  [[maybe_unused]] auto count = ::write(gate_.calls, &one, sizeof one);
}

// One that runs and one that waits are what the limit on processes counts on.
bool wardens::may_stay() const {
  constexpr auto most = size_t{2};
  return roster_.size() <= most;
}

void wardens::answer_call() {
  auto count = uint64_t{0};
  [[maybe_unused]] auto size = ::read(gate_.calls, &count, sizeof count);
  if (is_closed())
    make_ready();
}

bool wardens::is_closed() const {
  return begun_ && !roster_.has_idle();
}

void wardens::take_order() {
  if (make_ready())
    return;
  auto why = warden::report{};
  why.value = errno;
  auto what = order{};
  auto fds = warden_fds{};
  // One that has ended its work meanwhile may have taken it.
  if (receive(gate_.starts, what, fds, MSG_CMSG_CLOEXEC | MSG_DONTWAIT)
        == sizeof what
      && fds.back() >= 0)
    ::send(fds.back(), &why, sizeof why, MSG_NOSIGNAL);
  for (auto fd : fds)
    if (fd >= 0)
      ::close(fd);
}

void wardens::wake(uint64_t id) const {
  for (const auto& one : roster_.busy())
    if (one.id == id)
      ::kill(one.pid, SIGCONT);
}

bool wardens::are_watched() const {
  return limits_.most_memory != 0 && begun_ && !roster_.busy().empty();
}

void wardens::look() const {
  auto busy = roster_.busy();
  auto now = measure(pids_of(busy), tmpfs_);
  if (now.memory > limits_.most_memory)
    end_largest(busy, now, &tree_usage::memory, warden::memory_signal);
  else if (now.tasks > limits_.most_tasks + own_tasks())
    end_largest(busy, now, &tree_usage::tasks, warden::processes_signal);
}

void wardens::relieve_processes(uint32_t tasks) const {
  auto busy = roster_.busy();
  auto now = measure(pids_of(busy), {});
  if (busy.size() == 1 || now.tasks >= tasks)
    end_largest(busy, now, &tree_usage::tasks, warden::processes_signal);
}

void wardens::relieve_memory() const {
  auto busy = roster_.busy();
  if (busy.size() == 1)
    end(busy.front(), warden::memory_signal);
}

// The init and the wardens are not the commands' doing.
uint64_t wardens::own_tasks() const {
  return 1 + roster_.size();
}

void wardens::reap() {
  for (;;) {
    auto pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid <= 0)
      break;
    if (begun_)
      roster_.remove_pid(pid);
  }
  if (is_closed())
    make_ready();
}

} // namespace troupe::init
