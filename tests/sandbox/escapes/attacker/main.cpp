// Tries, from inside a sandbox, what a shell cannot, and says how each ended:
//
//   attacker PATTERN...       the attempts whose names match, one line each:
//                             "NAME: ok" or "NAME: ERRNO"
//   attacker --descriptors    what is open besides 0, 1 and 2
//   attacker --families HEX   opens a socket of each family, with HEX added to
//                             the argument; prints those that worked
//   attacker --pairs HEX      the same for socketpair
//   attacker --hold N, --hold-shared N, --fork N, --threads N, --burn N,
//            --files FOLDER N
//                             uses things up, see hunger.hpp

#include "sandbox/escapes/attacker/attempts.hpp"
#include "sandbox/escapes/attacker/hunger.hpp"
#include <fnmatch.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::attacker {

namespace {

struct outcome {
  long value = -1;
  int error = 0;
};

// Nothing that an attempt does may hang the others.
constexpr auto longest = 5;

void print(const char* name, const outcome& x) {
  if (x.value >= 0)
    std::printf("%s: ok\n", name);
  else if (const auto* text = ::strerrorname_np(x.error))
    std::printf("%s: %s\n", name, text);
  else
    std::printf("%s: errno %d\n", name, x.error);
}

outcome carry_out(const attempt& x) {
  auto result = outcome{};
  errno = 0;
  result.value = x.run();
  result.error = errno;
  return result;
}

void try_out(const attempt& x) {
  int ends[2] = {-1, -1};
  std::fflush(stdout);
  if (::pipe(ends) != 0)
    return print(x.name, carry_out(x));
  auto child = ::fork();
  if (child < 0)
    return print(x.name, carry_out(x));
  if (child == 0) {
    ::alarm(longest);
    auto result = carry_out(x);
    auto count = ::write(ends[1], &result, sizeof result);
    ::_exit(count == sizeof result ? 0 : 1);
  }
  ::close(ends[1]);
  auto result = outcome{};
  auto status = 0;
  auto count = ::read(ends[0], &result, sizeof result);
  ::close(ends[0]);
  ::waitpid(child, &status, 0);
  if (count == sizeof result)
    print(x.name, result);
  else
    std::printf("%s: signal %d\n", x.name, WTERMSIG(status));
}

// Returns how many matched.
int try_all(const char* pattern) {
  auto count = 0;
  for (auto group : {namespace_attempts(), mount_attempts(), kernel_attempts(),
                     process_attempts(), signal_attempts(), file_attempts(),
                     set_id_attempts(), socket_attempts(), terminal_attempts()})
    for (const auto& one : group)
      if (::fnmatch(pattern, one.name, 0) == 0) {
        try_out(one);
        ++count;
      }
  return count;
}

void list_descriptors() {
  constexpr auto most = 4096;
  for (auto fd = 3; fd < most; ++fd) {
    auto path = "/proc/self/fd/" + std::to_string(fd);
    char target[256] = {};
    if (::fcntl(fd, F_GETFD) < 0)
      continue;
    if (::readlink(path.c_str(), target, sizeof target - 1) < 0)
      std::strcpy(target, "?");
    std::printf("open: %d %s\n", fd, target);
  }
  std::printf("looked\n");
}

// Families are numbered up to 46 today; the filter and this look further.
constexpr auto families = 80L;

void list_families(long extra, bool in_pairs) {
  for (auto family = 0L; family < families; ++family)
    for (auto type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET}) {
      int ends[2] = {-1, -1};
      auto argument = family | extra;
      auto made = in_pairs ? ::syscall(SYS_socketpair, argument, type, 0, ends)
                           : ::syscall(SYS_socket, argument, type, 0);
      if (made >= 0)
        std::printf("family %ld type %d\n", family, static_cast<int>(type));
    }
  std::printf("looked\n");
}

struct hunger {
  const char* name;
  int (*run)(long);
};

constexpr hunger hungers[] = {
  {"--hold", hold_memory},      {"--hold-shared", hold_shared_memory},
  {"--fork", fork_on},          {"--threads", start_threads},
  {"--burn", burn_in_children},
};

} // namespace

const char* needed(const char* name) {
  if (const auto* value = std::getenv(name))
    return value;
  std::fprintf(stderr, "attacker: %s is not set\n", name);
  ::_exit(3);
}

long needed_number(const char* name) {
  return std::strtol(needed(name), nullptr, 0);
}

} // namespace troupe::attacker

int main(int argc, char** argv) {
  using namespace troupe::attacker;
  auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  if (argc == 4 && is("--files"))
    return make_files(argv[2], std::strtol(argv[3], nullptr, 10));
  for (const auto& [name, run] : hungers)
    if (argc == 3 && is(name))
      return run(std::strtol(argv[2], nullptr, 10));
  if (argc == 2 && is("--descriptors")) {
    list_descriptors();
    return 0;
  }
  if (argc == 3 && (is("--families") || is("--pairs"))) {
    list_families(static_cast<long>(std::strtoul(argv[2], nullptr, 16)),
                  is("--pairs"));
    return 0;
  }
  for (auto i = 1; i < argc; ++i)
    if (try_all(argv[i]) == 0) {
      std::fprintf(stderr, "attacker: there is no attempt %s\n", argv[i]);
      return 3;
    }
  return argc > 1 ? 0 : 3;
}
