// troupe-relay: runs the commands of a container.
//
//   troupe-relay serve HOME PATH...   speaks frames over its standard streams
//   troupe-relay rest                 keeps a container that is used later
//
// An engine carries the frames. Their end is the owner's end: everything that
// runs here is killed then, and where the relay is the container's first
// process, the container ends too. Static, it runs in any image.

#include "troupe/sandbox/relay/commands.hpp"
#include "troupe/sandbox/relay/frame_reader.hpp"
#include "troupe/sandbox/warden/descendants.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::relay {

namespace {

// False at the end, or when what came is no frame.
bool read_frames(int fd, frame_reader& in, commands& to) {
  char bytes[max_payload];
  auto count = ::read(fd, bytes, sizeof bytes);
  if (count < 0)
    return errno == EINTR || errno == EAGAIN;
  return count > 0
         && in.feed(bytes, static_cast<size_t>(count),
                    [&to](const frame& what, const char* payload) {
                      return to.obey(what, payload);
                    });
}

int listen_to_signals() {
  auto all = sigset_t{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  auto heard = sigset_t{};
  ::sigemptyset(&heard);
  ::sigaddset(&heard, SIGCHLD);
  ::sigaddset(&heard, SIGTERM);
  return ::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Whether it is time to go.
bool hear(int signals) {
  auto info = signalfd_siginfo{};
  return ::read(signals, &info, sizeof info) == sizeof info
         && info.ssi_signo == SIGTERM;
}

void say_hello(frame_queue& to, int count, char** paths) {
  auto what = hello{};
  what.places = static_cast<uint32_t>(count);
  auto text = std::string(reinterpret_cast<const char*>(&what), sizeof what);
  for (auto i = 0; i < count; ++i) {
    struct stat found{};
    auto one = place{};
    if (::lstat(paths[i], &found) == 0)
      one = place{found.st_dev, found.st_ino};
    text.append(reinterpret_cast<const char*>(&one), sizeof one);
  }
  for (auto** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    auto size = std::strlen(*entry) + 1;
    if (text.size() + size <= max_payload)
      text.append(*entry, size);
  }
  to.add(frame_kind::ready, 0, text.data(), text.size());
}

void serve(int signals, frame_queue& out, commands& under) {
  auto in = frame_reader{};
  auto fds = std::vector<pollfd>{};
  for (;;) {
    auto sending = static_cast<short>(out.empty() ? 0 : POLLOUT);
    fds.assign({{signals, POLLIN, 0},
                {STDIN_FILENO, POLLIN, 0},
                {STDOUT_FILENO, sending, 0}});
    under.await(fds);
    if (::poll(fds.data(), fds.size(), -1) < 0)
      continue;
    if (fds[0].revents != 0 && hear(signals))
      return;
    under.reap();
    auto ready = std::vector<pollfd>(fds.begin() + 3, fds.end());
    under.serve(ready);
    if (fds[1].revents != 0 && !read_frames(STDIN_FILENO, in, under))
      return;
    if ((fds[2].revents & (POLLERR | POLLHUP)) != 0
        || (!out.empty() && !out.flush(STDOUT_FILENO)))
      return;
  }
}

// Those of a warden that is killed become ours: another look finds them.
void kill_everything() {
  constexpr auto tries = 2000;
  for (auto i = 0; i < tries; ++i) {
    warden::kill_descendants();
    auto pid = pid_t{1};
    while (pid > 0)
      pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid < 0)
      return;
    auto pause = timespec{0, 2'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

int serve_owner(const char* home, int count, char** paths) {
  auto signals = listen_to_signals();
  if (signals < 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0
      || ::prctl(PR_SET_DUMPABLE, 0) != 0)
    return 1;
  ::fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
  ::fcntl(STDOUT_FILENO, F_SETFL, O_WRONLY | O_NONBLOCK);
  // Where it cannot be made, or is there, commands learn for themselves.
  ::mkdir(home, 0700);
  auto out = frame_queue{};
  auto under = commands{out};
  say_hello(out, count, paths);
  serve(signals, out, under);
  kill_everything();
  return 0;
}

int rest() {
  auto signals = listen_to_signals();
  auto fds = pollfd{signals, POLLIN, 0};
  for (;;) {
    ::poll(&fds, 1, -1);
    if (hear(signals))
      return 0;
    while (::waitpid(-1, nullptr, WNOHANG) > 0)
      continue;
  }
}

} // namespace

} // namespace troupe::relay

int main(int argc, char** argv) {
  using namespace troupe::relay;
  auto what = std::string_view{argc > 1 ? argv[1] : ""};
  if (what == "serve" && argc > 2)
    ::_exit(serve_owner(argv[2], argc - 3, argv + 3));
  if (what == "rest")
    ::_exit(rest());
  constexpr auto usage = std::string_view{"troupe runs this in containers\n"};
  [[maybe_unused]] auto count = ::write(2, usage.data(), usage.size());
  ::_exit(2);
}
