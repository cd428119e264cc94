#include "troupe/sandbox/namespace_sandbox.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/process_session.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <sys/socket.h>
#include <sys/uio.h>

namespace troupe {

namespace {

using boost::system::error_code;

// bubblewrap and the init need milliseconds; a host that takes this long has
// other worries.
constexpr auto opening_time = std::chrono::seconds{20};

// The kernel ends a namespace at once, unless something in it hangs in a
// device.
constexpr auto closing_time = std::chrono::seconds{5};

std::string describe(int code) {
  return std::generic_category().message(code);
}

/// A packet, who sent it, and what came with it.
struct received {
  ssize_t size = -1;
  init::answer answer;
  pid_t sender = 0;
  std::vector<unique_fd> sockets;
};

void take_part(const cmsghdr* part, received& to) {
  const auto* data = CMSG_DATA(part);
  if (part->cmsg_type == SCM_CREDENTIALS) {
    auto who = ucred{};
    std::memcpy(&who, data, sizeof who);
    to.sender = who.pid;
  } else if (part->cmsg_type == SCM_RIGHTS) {
    auto count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      auto fd = -1;
      std::memcpy(&fd, data + i * sizeof fd, sizeof fd);
      to.sockets.emplace_back(fd);
    }
  }
}

received receive(int socket) {
  auto result = received{};
  auto data = iovec{&result.answer, sizeof result.answer};
  constexpr auto most = sizeof(int) * init::max_sockets;
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(most)]
    = {};
  auto message = msghdr{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  result.size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (result.size > 0)
    for (auto* part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, part))
      if (part->cmsg_level == SOL_SOCKET)
        take_part(part, result);
  result.answer.what[sizeof result.answer.what - 1] = '\0';
  return result;
}

// The first line of what bubblewrap complains about, without its name.
std::string first_line(const std::string& complaint) {
  auto line = complaint.substr(0, complaint.find('\n'));
  constexpr auto name = std::string_view{"bwrap: "};
  return line.starts_with(name) ? line.substr(name.size()) : line;
}

} // namespace

namespace_sandbox::namespace_sandbox(boost::asio::io_context& loop,
                                     std::shared_ptr<warden_seat> host,
                                     std::optional<cgroup> limits)
  : loop_(loop),
    host_(std::move(host)),
    limits_(std::move(limits)),
    control_(loop),
    patience_(loop) {
  // nop
}

void namespace_sandbox::open(const bubblewrap_plan& plan,
                             std::function<void(caf::error)> ready) {
  ready_ = std::move(ready);
  if (auto failed = start(plan)) {
    phase_ = phase::gone;
    settle(std::move(failed));
    return;
  }
  patience_.expires_after(opening_time);
  patience_.async_wait([self = shared_from_this()](error_code failed) {
    if (!failed && self->phase_ == phase::opening)
      self->close(nullptr);
  });
  await_answer();
}

caf::error namespace_sandbox::start(const bubblewrap_plan& plan) {
  auto fds = std::array<int, 2>{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds.data()) != 0)
    return make_error(errc::sandbox,
                      "cannot open a sandbox: " + describe(errno));
  auto ours = unique_fd{fds[0]};
  auto theirs = std::make_shared<unique_fd>(fds[1]);
  auto on = 1;
  auto spec = process_spec{};
  spec.argv = plan.arguments;
  spec.directory = "/";
  spec.stdio.input = theirs;
  spec.output = 4096;
  spec.wall = std::chrono::hours{24 * 365};
  if (limits_)
    spec.leftovers = limits_->leftovers();
  if (plan.setup.size() > init::max_packet)
    return make_error(errc::policy, "the sandbox has too many paths");
  if (::setsockopt(ours.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0
      || ::send(ours.get(), plan.setup.data(), plan.setup.size(), MSG_DONTWAIT)
           < 0)
    return make_error(errc::sandbox,
                      "cannot set a sandbox up: " + describe(errno));
  auto failed = error_code{};
  control_.assign(ours.get(), failed);
  if (failed)
    return make_error(errc::sandbox,
                      "cannot watch a sandbox: " + failed.message());
  ours.release();
  outer_ = std::make_shared<process_session>(
    loop_, host_, std::move(spec),
    [self = shared_from_this()](caf::expected<process_result> result) {
      self->note_end(result ? result->stderr_text
                            : to_fault(result.error()).message);
    });
  auto refused = outer_->start();
  if (refused)
    outer_ = nullptr;
  return refused;
}

void namespace_sandbox::await_answer() {
  control_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [self = shared_from_this()](error_code failed) {
                        if (!failed)
                          self->take_answer();
                      });
}

void namespace_sandbox::take_answer() {
  auto got = receive(control_.native_handle());
  // Its end is told by `note_end`, which knows more.
  if (got.size <= 0 || phase_ != phase::opening)
    return;
  auto failed = caf::error{};
  if (got.answer.error != 0)
    failed = make_error(errc::sandbox, "the sandbox cannot be set up: "
                                         + std::string{got.answer.what} + ": "
                                         + describe(got.answer.error));
  else if (got.sockets.empty())
    failed = make_error(errc::sandbox,
                        "the sandbox has not opened its sockets");
  else if (limits_)
    failed = limits_->add(got.sender);
  if (failed) {
    auto told = std::exchange(ready_, nullptr);
    close([told, failed] {
      if (told)
        told(failed);
    });
    return;
  }
  starts_ = std::move(got.sockets.front());
  got.sockets.erase(got.sockets.begin());
  sockets_ = std::move(got.sockets);
  phase_ = phase::open;
  patience_.cancel();
  // Not before the group has the init in it: what it starts follows.
  auto begin = init::order{};
  begin.kind = init::order_kind::begin;
  send(control_.native_handle(), begin, nullptr);
  settle({});
}

void namespace_sandbox::settle(caf::error failed) {
  if (auto ready = std::exchange(ready_, nullptr))
    ready(std::move(failed));
}

void namespace_sandbox::close(std::function<void()> gone) {
  if (phase_ == phase::gone) {
    if (gone)
      gone();
    return;
  }
  if (gone)
    gone_.push_back(std::move(gone));
  if (std::exchange(phase_, phase::closing) == phase::closing)
    return;
  // The init ends when it can hear nobody, and the kernel everything else.
  auto ignored = error_code{};
  control_.close(ignored);
  patience_.expires_after(closing_time);
  patience_.async_wait([self = shared_from_this()](error_code failed) {
    if (!failed && self->outer_)
      self->outer_->kill();
  });
}

void namespace_sandbox::note_end(const std::string& complaint) {
  phase_ = phase::gone;
  auto ignored = error_code{};
  control_.close(ignored);
  patience_.cancel();
  outer_ = nullptr;
  gateway_ = nullptr;
  if (ready_)
    settle(make_error(errc::sandbox,
                      "bubblewrap cannot open a sandbox here: "
                        + (complaint.empty() ? std::string{"it ended"}
                                             : first_line(complaint)),
                      {}, "troupe sandbox probe bubblewrap"));
  for (auto& f : std::exchange(gone_, {}))
    f();
}

bool namespace_sandbox::is_open() const noexcept {
  return phase_ == phase::open;
}

std::vector<unique_fd> namespace_sandbox::take_sockets() {
  return std::exchange(sockets_, {});
}

void namespace_sandbox::attach(std::unique_ptr<gateway> way_out) {
  gateway_ = std::move(way_out);
}

cgroup_counts namespace_sandbox::counts() {
  auto now = limits_ ? limits_->counts() : cgroup_counts{};
  counted_.killed_for_memory = std::max(counted_.killed_for_memory,
                                        now.killed_for_memory);
  counted_.refused_processes = std::max(counted_.refused_processes,
                                        now.refused_processes);
  return counted_;
}

bool namespace_sandbox::has_limits() const noexcept {
  return limits_.has_value();
}

caf::expected<uint64_t> namespace_sandbox::place(warden_ends ends) {
  auto what = init::order{};
  what.id = ++last_;
  if (phase_ != phase::open || !send(starts_.get(), what, &ends))
    return make_error(errc::sandbox, "the sandbox has ended");
  return what.id;
}

void namespace_sandbox::wake(uint64_t id) {
  auto what = init::order{};
  what.kind = init::order_kind::wake;
  what.id = id;
  if (phase_ == phase::open)
    send(control_.native_handle(), what, nullptr);
}

void namespace_sandbox::relieve(uint64_t most) {
  if (!limits_ || phase_ != phase::open)
    return;
  auto now = counts();
  auto before = std::exchange(relieved_, now);
  auto what = init::order{};
  if (now.refused_processes > before.refused_processes) {
    what.kind = init::order_kind::relieve_processes;
    what.tasks = static_cast<uint32_t>(most - most / 4);
    send(control_.native_handle(), what, nullptr);
  }
  if (now.killed_for_memory > before.killed_for_memory) {
    what.kind = init::order_kind::relieve_memory;
    send(control_.native_handle(), what, nullptr);
  }
}

void namespace_sandbox::release(uint64_t) {
  // The init reaps it.
}

// Nobody can tell any more which of the processes inside came from where.
void namespace_sandbox::abandon(uint64_t,
                                std::function<void(std::string)> then) {
  // Before the group goes, which may be why.
  counts();
  close([then = std::move(then)] {
    then("the sandbox and everything in it were ended");
  });
}

bool namespace_sandbox::send(int socket, const init::order& what,
                             const warden_ends* ends) {
  auto copy = what;
  auto data = iovec{&copy, sizeof copy};
  auto message = msghdr{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  auto fds = std::array<int, 4>{};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof fds)] = {};
  if (ends != nullptr) {
    fds = {ends->input.get(), ends->output.get(), ends->errors.get(),
           ends->control.get()};
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    auto* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof fds);
    std::memcpy(CMSG_DATA(part), fds.data(), sizeof fds);
  }
  return ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL)
         == sizeof copy;
}

} // namespace troupe
