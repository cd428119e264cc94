#include "troupe/sandbox/relay/commands.hpp"

#include "troupe/sandbox/relay/pressure.hpp"
#include "troupe/sandbox/warden/overseer.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::relay {

namespace {

// A command's texts, and some orders on top.
constexpr auto most_orders = sizeof(warden::command_header) + warden::max_texts
                             + 4096;

constexpr auto most_commands = size_t{1024};

constexpr auto full_queue = size_t{512} << 10;

constexpr auto piece = size_t{32} << 10;

void close_fd(int& fd) {
  if (fd >= 0)
    ::close(fd);
  fd = -1;
}

bool is_pause() {
  return errno == EAGAIN || errno == EINTR;
}

// Above the numbers that a warden wants, or they would overwrite each other.
bool make_pair(int (&fds)[2], bool is_socket) {
  if ((is_socket ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)
                 : ::pipe2(fds, O_CLOEXEC))
      != 0)
    return false;
  constexpr auto lowest = 16;
  for (auto& fd : fds) {
    auto lifted = ::fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    ::close(fd);
    fd = lifted;
  }
  return fds[0] >= 0 && fds[1] >= 0;
}

/// Both ends of what a command gets; ours are [0] or [1].
struct channels {
  int control[2] = {-1, -1};
  int input[2] = {-1, -1};
  int output[2] = {-1, -1};
  int errors[2] = {-1, -1};

  bool open() {
    return make_pair(control, true) && make_pair(input, false)
           && make_pair(output, false) && make_pair(errors, false);
  }

  void close_all() {
    for (auto* pair : {control, input, output, errors}) {
      close_fd(pair[0]);
      close_fd(pair[1]);
    }
  }
};

[[noreturn]] void become_warden(const channels& x) {
  ::dup2(x.input[0], STDIN_FILENO);
  ::dup2(x.output[1], STDOUT_FILENO);
  ::dup2(x.errors[1], STDERR_FILENO);
  if (::dup2(x.control[1], warden::control_fd) < 0)
    ::_exit(1);
  ::syscall(SYS_close_range, warden::control_fd + 1, ~0U, 0);
  ::_exit(warden::serve_command(warden::get_ready(), {}, 0) ? 0 : 1);
}

// Takes what has been written from the beginning of `bytes`.
bool write_some(int fd, std::string& bytes) {
  auto count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count < 0 && errno == ENOTSOCK)
    count = ::write(fd, bytes.data(), bytes.size());
  if (count > 0)
    bytes.erase(0, static_cast<size_t>(count));
  return count >= 0 || is_pause();
}

void credit(uint32_t& sent, const char* payload, size_t size) {
  auto what = taken{};
  if (size == sizeof what)
    std::memcpy(&what, payload, sizeof what);
  sent -= std::min(sent, what.bytes);
}

} // namespace

void frame_queue::add(frame_kind kind, uint64_t id, const void* payload,
                      size_t size) {
  auto header = frame{kind, static_cast<uint32_t>(size), id};
  bytes_.append(reinterpret_cast<const char*>(&header), sizeof header);
  if (size > 0)
    bytes_.append(static_cast<const char*>(payload), size);
}

bool frame_queue::is_full() const {
  return bytes_.size() >= full_queue;
}

bool frame_queue::empty() const {
  return bytes_.empty();
}

bool frame_queue::flush(int fd) {
  return write_some(fd, bytes_);
}

command* commands::find(uint64_t id) {
  for (auto& one : list_)
    if (one.id == id)
      return &one;
  return nullptr;
}

// What comes for a command that is gone is late, not wrong.
bool commands::obey(const frame& what, const char* payload) {
  using kind = frame_kind;
  if (what.kind == kind::start)
    return start(what.id);
  auto* of = find(what.id);
  if (of == nullptr)
    return what.kind <= kind::forget;
  switch (what.kind) {
    case kind::orders:
      return take_orders(*of, payload, what.size);
    case kind::input:
      return take_input(*of, payload, what.size);
    case kind::end_of_input:
      of->input_ends = true;
      if (of->text.empty())
        close_fd(of->input);
      return true;
    case kind::output_taken:
      credit(of->output_sent, payload, what.size);
      return true;
    case kind::errors_taken:
      credit(of->errors_sent, payload, what.size);
      return true;
    case kind::output_closed:
      close_fd(of->output);
      return true;
    case kind::errors_closed:
      close_fd(of->errors);
      return true;
    case kind::wake:
      if (of->warden > 0)
        ::kill(of->warden, SIGCONT);
      return true;
    case kind::forget:
      for (auto* fd : {&of->control, &of->input, &of->output, &of->errors})
        close_fd(*fd);
      forget_ended();
      return true;
    default:
      return false;
  }
}

bool commands::start(uint64_t id) {
  auto ends = channels{};
  if (find(id) != nullptr || list_.size() >= most_commands)
    return false;
  auto one = command{};
  one.id = id;
  one.before = read_pressure();
  // This process is tiny: there are no page tables worth avoiding.
  one.warden = ends.open() ? ::fork() : -1;
  if (one.warden == 0)
    become_warden(ends);
  if (one.warden < 0) {
    auto why = warden::report{warden::report::kind::bad_host, errno, 0, 0};
    ends.close_all();
    to_.add(frame_kind::report, id, &why, sizeof why);
    for (auto end : {frame_kind::gone, frame_kind::end_of_output,
                     frame_kind::end_of_errors})
      to_.add(end, id);
    return true;
  }
  one.control = std::exchange(ends.control[0], -1);
  one.input = std::exchange(ends.input[1], -1);
  one.output = std::exchange(ends.output[0], -1);
  one.errors = std::exchange(ends.errors[0], -1);
  ends.close_all();
  for (auto fd : {one.control, one.input, one.output, one.errors})
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
  list_.push_back(std::move(one));
  return true;
}

bool commands::take_orders(command& of, const char* bytes, size_t size) {
  if (of.orders.size() + size > most_orders)
    return false;
  of.orders.append(bytes, size);
  write_orders(of);
  return true;
}

bool commands::take_input(command& of, const char* bytes, size_t size) {
  if (of.text.size() + size > window)
    return false;
  if (of.input < 0)
    return true;
  of.text.append(bytes, size);
  write_input(of);
  return true;
}

void commands::write_orders(command& of) {
  if (of.control >= 0 && !of.orders.empty()
      && !write_some(of.control, of.orders))
    of.orders.clear();
}

void commands::write_input(command& of) {
  auto before = of.text.size();
  if (of.input < 0)
    return;
  if (!write_some(of.input, of.text)) {
    of.text.clear();
    close_fd(of.input);
    to_.add(frame_kind::input_closed, of.id);
    return;
  }
  auto what = taken{static_cast<uint32_t>(before - of.text.size())};
  if (what.bytes > 0)
    to_.add(frame_kind::input_taken, of.id, &what, sizeof what);
  if (of.text.empty() && of.input_ends)
    close_fd(of.input);
}

void commands::await(std::vector<pollfd>& fds) const {
  auto add = [&fds](int fd, bool in, bool out) {
    auto events = (in ? POLLIN : 0) | (out ? POLLOUT : 0);
    if (fd >= 0 && events != 0)
      fds.push_back({fd, static_cast<short>(events), 0});
  };
  auto may_send = !to_.is_full();
  for (const auto& one : list_) {
    add(one.control, true, !one.orders.empty());
    add(one.input, false, !one.text.empty());
    add(one.output, may_send && one.output_sent < window, false);
    add(one.errors, may_send && one.errors_sent < window, false);
  }
}

void commands::serve(const std::vector<pollfd>& fds) {
  for (const auto& ready : fds) {
    if (ready.revents == 0)
      continue;
    for (auto& one : list_)
      serve(one, ready.fd, ready.revents);
  }
  forget_ended();
}

void commands::serve(command& of, int fd, short events) {
  if (fd == of.control) {
    if ((events & POLLOUT) != 0)
      write_orders(of);
    if ((events & ~POLLOUT) != 0)
      read_control(of);
  } else if (fd == of.input) {
    write_input(of);
  } else if (fd == of.output) {
    read_stream(of, of.output, of.output_sent, frame_kind::output,
                frame_kind::end_of_output);
  } else if (fd == of.errors) {
    read_stream(of, of.errors, of.errors_sent, frame_kind::errors,
                frame_kind::end_of_errors);
  }
}

void commands::read_control(command& of) {
  char bytes[256];
  auto count = ::read(of.control, bytes, sizeof bytes);
  if (count < 0 && is_pause())
    return;
  if (count > 0) {
    auto now = read_pressure();
    auto since = pressure{now.killed_for_memory - of.before.killed_for_memory,
                          now.refused_processes - of.before.refused_processes};
    if (since.killed_for_memory > 0 || since.refused_processes > 0)
      to_.add(frame_kind::pressed, of.id, &since, sizeof since);
    to_.add(frame_kind::report, of.id, bytes, static_cast<size_t>(count));
    return;
  }
  close_fd(of.control);
  close_fd(of.input);
  to_.add(frame_kind::gone, of.id);
}

void commands::read_stream(command& of, int& fd, uint32_t& sent,
                           frame_kind data, frame_kind end) {
  char bytes[piece];
  auto most = std::min<size_t>(piece, window - std::min(sent, window));
  auto count = ::read(fd, bytes, most);
  if (count < 0 && is_pause())
    return;
  if (count > 0) {
    sent += static_cast<uint32_t>(count);
    to_.add(data, of.id, bytes, static_cast<size_t>(count));
    return;
  }
  close_fd(fd);
  to_.add(end, of.id);
}

void commands::forget_ended() {
  std::erase_if(list_, [](const command& x) {
    return x.control < 0 && x.output < 0 && x.errors < 0;
  });
}

void commands::reap() {
  for (;;) {
    auto pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid <= 0)
      return;
    for (auto& one : list_)
      if (one.warden == pid)
        one.warden = -1;
  }
}

} // namespace troupe::relay
