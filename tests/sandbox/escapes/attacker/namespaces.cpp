#include "sandbox/escapes/attacker/attempts.hpp"
#include <sched.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::attacker {

namespace {

constexpr auto new_time = 0x00000080UL;

template <unsigned long Flags>
long unshare_it() {
  return ::syscall(SYS_unshare, Flags);
}

// Ends the child at once; the parent learns its id.
long reap(long child) {
  if (child == 0)
    ::_exit(0);
  if (child > 0)
    ::waitpid(static_cast<pid_t>(child), nullptr, __WALL);
  return child;
}

template <unsigned long Flags>
long clone_it() {
  return reap(
    ::syscall(SYS_clone, Flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

struct clone3_arguments {
  uint64_t flags = 0;
  uint64_t pidfd = 0;
  uint64_t child_tid = 0;
  uint64_t parent_tid = 0;
  uint64_t exit_signal = SIGCHLD;
  uint64_t stack = 0;
  uint64_t stack_size = 0;
  uint64_t tls = 0;
  uint64_t set_tid = 0;
  uint64_t set_tid_size = 0;
  uint64_t cgroup = 0;
};

template <uint64_t Flags>
long clone3_it() {
  auto arguments = clone3_arguments{};
  arguments.flags = Flags;
  return reap(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

// A child with a chosen id, as a checkpoint is restored.
long clone3_with_id() {
  auto id = pid_t{4242};
  auto arguments = clone3_arguments{};
  arguments.set_tid = reinterpret_cast<uint64_t>(&id);
  arguments.set_tid_size = 1;
  return reap(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

long enter(const char* path, int type) {
  auto fd = ::open(path, O_RDONLY | O_CLOEXEC);
  return fd < 0 ? -1 : ::syscall(SYS_setns, fd, type);
}

long enter_own_namespaces() {
  return enter("/proc/self/ns/user", CLONE_NEWUSER);
}

long enter_first_mounts() {
  return enter("/proc/1/ns/mnt", CLONE_NEWNS);
}

long enter_first_pids() {
  return enter("/proc/1/ns/pid", 0);
}

long enter_own_network() {
  return enter("/proc/self/ns/net", CLONE_NEWNET);
}

long enter_by_pidfd() {
  auto fd = ::syscall(SYS_pidfd_open, 1, 0);
  return fd < 0 ? -1
                : ::syscall(SYS_setns, fd,
                            CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER);
}

long write_map(const char* file) {
  auto fd = ::open(file, O_WRONLY | O_CLOEXEC);
  return fd < 0 ? -1 : ::write(fd, "0 0 1", 5);
}

long map_own_users() {
  return write_map("/proc/self/uid_map");
}

long map_own_groups() {
  return write_map("/proc/self/gid_map");
}

constexpr auto attempts = std::array{
  attempt{"unshare-user", unshare_it<CLONE_NEWUSER>},
  attempt{"unshare-mount", unshare_it<CLONE_NEWNS>},
  attempt{"unshare-pid", unshare_it<CLONE_NEWPID>},
  attempt{"unshare-net", unshare_it<CLONE_NEWNET>},
  attempt{"unshare-ipc", unshare_it<CLONE_NEWIPC>},
  attempt{"unshare-uts", unshare_it<CLONE_NEWUTS>},
  attempt{"unshare-cgroup", unshare_it<CLONE_NEWCGROUP>},
  attempt{"unshare-time", unshare_it<new_time>},
  attempt{"unshare-user-high-bits", unshare_it<CLONE_NEWUSER | 0x100000000UL>},
  attempt{
    "unshare-user-and-all",
    unshare_it<CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET>},
  attempt{"clone-user", clone_it<CLONE_NEWUSER>},
  attempt{"clone-mount", clone_it<CLONE_NEWNS>},
  attempt{"clone-pid", clone_it<CLONE_NEWPID>},
  attempt{"clone-net", clone_it<CLONE_NEWNET>},
  attempt{"clone-ipc", clone_it<CLONE_NEWIPC>},
  attempt{"clone-uts", clone_it<CLONE_NEWUTS>},
  attempt{"clone-cgroup", clone_it<CLONE_NEWCGROUP>},
  attempt{"clone-user-high-bits", clone_it<CLONE_NEWUSER | 0x8000000000UL>},
  attempt{"clone-user-and-all",
          clone_it<CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET>},
  attempt{"clone-user-untraced", clone_it<CLONE_NEWUSER | CLONE_UNTRACED>},
  attempt{"clone3-user", clone3_it<CLONE_NEWUSER>},
  attempt{"clone3-time", clone3_it<new_time>},
  attempt{"clone3-plain", clone3_it<0>},
  attempt{"clone3-into-cgroup", clone3_it<0x200000000ULL>},
  attempt{"clone3-with-id", clone3_with_id},
  attempt{"setns-own-user", enter_own_namespaces},
  attempt{"setns-own-net", enter_own_network},
  attempt{"setns-first-mount", enter_first_mounts},
  attempt{"setns-first-pid", enter_first_pids},
  attempt{"setns-pidfd", enter_by_pidfd},
  attempt{"map-users", map_own_users},
  attempt{"map-groups", map_own_groups},
};

} // namespace

std::span<const attempt> namespace_attempts() {
  return attempts;
}

} // namespace troupe::attacker
