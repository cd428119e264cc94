#include "sandbox/escapes/attacker/hunger.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::attacker {

namespace {

constexpr auto longest = 60U;
constexpr auto mebi = size_t{1} << 20;

int hold(long mebibytes, int kind) {
  ::alarm(longest);
  auto size = static_cast<size_t>(mebibytes) * mebi;
  auto* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        kind | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::printf("refused\n");
    return 1;
  }
  for (auto at = size_t{0}; at < size; at += 4096)
    static_cast<volatile char*>(memory)[at] = 1;
  std::printf("held\n");
  std::fflush(stdout);
  ::pause();
  return 0;
}

} // namespace

int hold_memory(long mebibytes) {
  return hold(mebibytes, MAP_PRIVATE);
}

int hold_shared_memory(long mebibytes) {
  return hold(mebibytes, MAP_SHARED);
}

// Each process forks as long as it lives; the count of all of them is in
// memory that they share.
int fork_on(long most) {
  auto* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 1;
  auto& count = *new (memory) std::atomic<long>{0};
  ::alarm(longest);
  while (count < most) {
    auto child = ::fork();
    if (child < 0) {
      ::usleep(1000);
      continue;
    }
    ++count;
    if (child == 0) {
      ::signal(SIGTERM, SIG_IGN);
      ::alarm(longest);
      // A new session now and then, and no name that tells them apart.
      if (count % 7 == 0)
        ::setsid();
    }
  }
  return 0;
}

int start_threads(long most) {
  ::alarm(longest);
  auto started = 0L;
  try {
    for (; started < most; ++started)
      std::thread{[] { ::sleep(longest); }}.detach();
  } catch (const std::system_error&) {
    std::printf("refused after %ld\n", started);
  }
  std::fflush(stdout);
  ::sleep(longest);
  return 1;
}

int burn_in_children(long processes) {
  ::alarm(longest);
  ::signal(SIGCHLD, SIG_IGN);
  for (; processes > 0; --processes)
    if (::fork() == 0) {
      ::alarm(longest);
      for (;;)
        static_cast<void>(::getppid());
    }
  ::pause();
  return 0;
}

int make_files(const char* folder, long most) {
  auto made = 0L;
  for (; made < most; ++made) {
    auto path = std::string{folder} + "/f" + std::to_string(made);
    auto fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
      break;
    ::close(fd);
  }
  std::printf("made %ld\n", made);
  return 0;
}

} // namespace troupe::attacker
