#include "troupe/sandbox/warden/command.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::warden {

namespace {

bool read_exactly(int fd, void* to, size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    auto count = ::read(fd, at, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

// Takes one text; null past the last.
char* take_text(std::vector<char>& texts, size_t& at) {
  if (at >= texts.size())
    return nullptr;
  auto* result = texts.data() + at;
  at += std::strlen(result) + 1;
  return result;
}

bool take_texts(std::vector<char>& texts, size_t& at, uint32_t count,
                std::vector<char*>& to) {
  for (; count > 0; --count) {
    to.push_back(take_text(texts, at));
    if (to.back() == nullptr)
      return false;
  }
  to.push_back(nullptr);
  return true;
}

void unblock_signals() {
  auto none = sigset_t{};
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

bool limit(int resource, rlim_t most, rlim_t hard) {
  auto now = rlimit{};
  if (most == 0)
    return true;
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0)
    return false;
  // Only downwards: a limit of the host stays.
  auto bounds = rlimit{std::min(most, now.rlim_max),
                       std::min(hard, now.rlim_max)};
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &bounds) == 0;
}

// The warden looks at the tree's time on the CPU. Of one process, should the
// warden not get to it, the kernel does: a soft limit ends it with a signal
// that names it; the hard one, a second later, ends what ignores that.
bool limit_all(const command_header& x) {
  constexpr auto second = rlim_t{1000};
  auto none = rlimit{};
  auto most = x.cpu == 0 ? 0 : (x.cpu + second - 1) / second + 1;
  return ::setrlimit(RLIMIT_CORE, &none) == 0
         && limit(RLIMIT_CPU, most, most + 1)
         && limit(RLIMIT_NOFILE, x.open_files, x.open_files)
         && limit(RLIMIT_FSIZE, x.file, x.file);
}

bool take_terminal(const command_header& x) {
  if (x.terminal == 0)
    return ::setpgid(0, 0) == 0;
  return ::setsid() >= 0 && ::ioctl(STDIN_FILENO, TIOCSCTTY, 0) == 0;
}

// In a process that shares the memory of its warden, which waits, until exec.
[[noreturn]] void run(command& what, const confinement& confine) {
  // If the command kills this warden, it goes too; what it left behind can
  // then not be helped.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  unblock_signals();
  auto& why = what.failure;
  why.what = report::kind::bad_host;
  if (take_terminal(what.header) && limit_all(what.header)) {
    why.what = report::kind::bad_directory;
    if (::chdir(what.directory) == 0) {
      why.what = report::kind::bad_host;
      if (confine.enter == nullptr || confine.enter(what, confine.domain)) {
        // exec looks for the program on the command's PATH, not on ours.
        environ = what.variables.data();
        why.what = report::kind::bad_program;
        ::execvp(what.arguments[0], what.arguments.data());
      }
    }
  }
  why.value = errno;
  what.has_failed = true;
  ::_exit(127);
}

} // namespace

bool read_command(int control, command& result) {
  auto& header = result.header;
  if (!read_exactly(control, &header, sizeof header) || header.bytes == 0
      || header.bytes > max_texts || header.arguments == 0)
    return false;
  auto& texts = result.texts;
  texts.resize(header.bytes);
  if (!read_exactly(control, texts.data(), texts.size())
      || texts.back() != '\0')
    return false;
  auto at = size_t{0};
  result.directory = take_text(texts, at);
  return take_texts(texts, at, header.arguments, result.arguments)
         && take_texts(texts, at, header.variables, result.variables)
         && take_texts(texts, at, header.leftovers, result.leftovers);
}

// By the kernel's own call and structure, whose zeros mean the default: the C
// library keeps two signals to itself and leaves them ignored.
void reset_signals() {
  const uint64_t defaults[4] = {};
  for (auto number = 1; number < NSIG; ++number)
    ::syscall(SYS_rt_sigaction, number, defaults, nullptr, sizeof(uint64_t));
}

// vfork: the warden is tiny, but to copy its page tables and then to copy every
// page that either touches takes longer than all else here.
pid_t start(command& what, const confinement& confine, report& why) {
  auto child = ::vfork();
  if (child == 0)
    run(what, confine);
  // Of the command, which shared our memory.
  environ = nullptr;
  if (child < 0) {
    why.value = errno;
    return -1;
  }
  if (!what.has_failed)
    return child;
  ::waitpid(child, nullptr, 0);
  why = what.failure;
  return -1;
}

} // namespace troupe::warden
