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
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::init {

namespace {

void close_all(const warden_fds& fds) {
  for (auto fd : fds)
    if (fd >= 0)
      ::close(fd);
}

void take_fds(const msghdr& message, warden_fds& to) {
  auto count = size_t{0};
  for (auto* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(const_cast<msghdr*>(&message), part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
      continue;
    auto size = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (auto i = size_t{0}; i < size; ++i) {
      auto fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      if (count < to.size())
        to[count++] = fd;
      else
        ::close(fd);
    }
  }
}

// In the process that becomes the program.
bool confine(const warden::command& what) {
  if (!enter_scope())
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

[[noreturn]] void become_warden(const warden_fds& fds, int taking,
                                const warden::start_note& note) {
  // The numbers that were sent are above those that a warden wants, or they
  // would overwrite each other.
  constexpr auto lowest = 16;
  constexpr int wanted[] = {warden::control_fd, 0, 1, 2, warden::note_fd};
  const int sent[] = {fds[0], fds[1], fds[2], fds[3], taking};
  int lifted[5];
  for (size_t i = 0; i < 5; ++i)
    lifted[i] = ::fcntl(sent[i], F_DUPFD, lowest);
  for (size_t i = 0; i < 5; ++i)
    if (::dup2(lifted[i], wanted[i]) < 0)
      ::_exit(1);
  ::fcntl(warden::note_fd, F_SETFD, FD_CLOEXEC);
  ::_exit(warden::serve_command(confine, &note));
}

// It may be stopped, by its command.
void end(pid_t warden, int signal) {
  ::kill(warden, signal);
  ::kill(warden, SIGCONT);
}

void end_largest(const usage& now, uint64_t tree_usage::* what, int signal) {
  auto largest = std::max_element(now.trees.begin(), now.trees.end(),
                                  [what](const auto& x, const auto& y) {
                                    return x.*what < y.*what;
                                  });
  if (largest == now.trees.end())
    return;
  end(largest->warden, signal);
}

} // namespace

bool receive_order(int socket, order& what, warden_fds& fds) {
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
    count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count >= 0)
    take_fds(message, fds);
  return count == sizeof what;
}

bool open_gate(warden_gate& to) {
  int pair[2];
  int pipe[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0
      || ::pipe2(pipe, O_CLOEXEC) != 0
      || ::fcntl(pipe[0], F_SETFL, O_NONBLOCK) != 0)
    return false;
  to = {pair[0], pair[1], pipe[0], pipe[1]};
  return true;
}

wardens::wardens(const setup& limits, std::vector<std::string> tmpfs,
                 const warden_gate& gate)
  : gate_(gate),
    limits_(limits),
    tmpfs_(std::move(tmpfs)) {
  // nop
}

void wardens::begin() {
  begun_ = true;
  make_ready();
}

// Before the order is there: to fork takes as long as all else that a warden
// does before its command runs.
void wardens::make_ready() {
  spare_ = ::fork();
  if (spare_ == 0)
    be_ready();
}

void wardens::be_ready() const {
  if (limits_.killed_first != 0)
    be_killed_first();
  auto what = order{};
  auto fds = warden_fds{};
  if (!receive_order(gate_.starts, what, fds) || fds.back() < 0)
    ::_exit(1);
  become_warden(fds, gate_.taking, {what.id, ::getpid()});
}

void wardens::note_taken() {
  auto note = warden::start_note{};
  while (::read(gate_.taken, &note, sizeof note) == sizeof note) {
    entries_.push_back({note.id, note.warden});
    if (note.warden == spare_)
      spare_ = -1;
  }
  if (begun_ && spare_ < 0)
    make_ready();
}

bool wardens::is_closed() const {
  return begun_ && spare_ < 0;
}

void wardens::take_order() {
  make_ready();
  if (spare_ > 0)
    return;
  auto why = warden::report{warden::report::kind::bad_host, errno, 0, 0};
  auto what = order{};
  auto fds = warden_fds{};
  if (receive_order(gate_.starts, what, fds) && fds[0] >= 0)
    ::send(fds[0], &why, sizeof why, MSG_NOSIGNAL);
  close_all(fds);
}

void wardens::wake(uint64_t id) const {
  for (const auto& one : entries_)
    if (one.id == id)
      ::kill(one.pid, SIGCONT);
}

bool wardens::are_watched() const {
  return !entries_.empty() && limits_.most_memory != 0;
}

void wardens::look() const {
  auto now = measure(pids(), tmpfs_);
  if (now.memory > limits_.most_memory)
    end_largest(now, &tree_usage::memory, warden::memory_signal);
  else if (now.tasks > limits_.most_tasks + own_tasks())
    end_largest(now, &tree_usage::tasks, warden::processes_signal);
}

void wardens::relieve_processes(uint32_t tasks) const {
  auto now = measure(pids(), {});
  if (entries_.size() == 1 || now.tasks >= tasks)
    end_largest(now, &tree_usage::tasks, warden::processes_signal);
}

void wardens::relieve_memory() const {
  if (entries_.size() == 1)
    end(entries_.front().pid, warden::memory_signal);
}

// The init and the wardens are not the commands' doing.
uint64_t wardens::own_tasks() const {
  return 1 + entries_.size() + (spare_ > 0 ? 1 : 0);
}

std::vector<pid_t> wardens::pids() const {
  auto result = std::vector<pid_t>{};
  for (const auto& one : entries_)
    result.push_back(one.pid);
  return result;
}

// One whose command ran has said so.
void wardens::reap() {
  note_taken();
  for (;;) {
    auto pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid <= 0)
      break;
    if (pid == spare_)
      spare_ = -1;
    std::erase_if(entries_, [pid](const entry& x) { return x.pid == pid; });
  }
  if (begun_ && spare_ < 0)
    make_ready();
}

} // namespace troupe::init
