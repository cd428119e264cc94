#include "sandbox/escapes/attacker/attempts.hpp"
#include <sched.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace troupe::attacker {

namespace {

constexpr auto call_process_madvise = 440L;

pid_t victim() {
  return static_cast<pid_t>(needed_number("VICTIM"));
}

long seize(pid_t pid) {
  return ::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr);
}

long trace_first() {
  return seize(1);
}

long trace_warden() {
  return ::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr);
}

long trace_victim() {
  return seize(victim());
}

long trace_me() {
  return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
}

long read_memory(pid_t pid) {
  char to[16];
  auto local = iovec{to, sizeof to};
  auto remote = iovec{reinterpret_cast<void*>(&read_memory), sizeof to};
  return ::process_vm_readv(pid, &local, 1, &remote, 1, 0);
}

long memory_read_first() {
  return read_memory(1);
}

long memory_read_own() {
  return read_memory(::getpid());
}

long memory_read_victim() {
  return read_memory(victim());
}

long memory_write_first() {
  char from[16] = {};
  auto local = iovec{from, sizeof from};
  auto remote = iovec{from, sizeof from};
  return ::process_vm_writev(1, &local, 1, &remote, 1, 0);
}

long memory_open(const char* path, int flags) {
  return ::open(path, flags | O_CLOEXEC);
}

long memory_open_first() {
  return memory_open("/proc/1/mem", O_RDWR);
}

long memory_advise() {
  auto fd = ::syscall(SYS_pidfd_open, 1, 0);
  char page[16];
  auto what = iovec{page, sizeof page};
  return fd < 0 ? -1 : ::syscall(call_process_madvise, fd, &what, 1, 20, 0);
}

long memory_policy() {
  return ::syscall(SYS_set_mempolicy, 0, nullptr, 0);
}

long memory_bind() {
  return ::syscall(SYS_mbind, nullptr, 0, 0, nullptr, 0, 0);
}

long memory_migrate() {
  return ::syscall(SYS_migrate_pages, 1, 0, nullptr, nullptr);
}

long memory_move() {
  return ::syscall(SYS_move_pages, 1, 0, nullptr, nullptr, nullptr, 0);
}

long descriptor_of_first() {
  auto fd = ::syscall(SYS_pidfd_open, 1, 0);
  return fd < 0 ? -1 : ::syscall(SYS_pidfd_getfd, fd, 0, 0);
}

long descriptor_of_warden() {
  auto fd = ::syscall(SYS_pidfd_open, ::getppid(), 0);
  return fd < 0 ? -1 : ::syscall(SYS_pidfd_getfd, fd, 3, 0);
}

long compare_with_first() {
  return ::syscall(SYS_kcmp, 1, ::getpid(), 2, 0, 0);
}

long find_victim() {
  return ::syscall(SYS_pidfd_open, victim(), 0);
}

// A low limit keeps a supervisor from opening, sending, or going on at all.
long limit_of(pid_t pid, int resource) {
  auto none = rlimit{0, 0};
  return ::syscall(SYS_prlimit64, pid, resource, &none, nullptr);
}

long limit_first_files() {
  return limit_of(1, RLIMIT_NOFILE);
}

long limit_first_time() {
  return limit_of(1, RLIMIT_CPU);
}

long limit_first_size() {
  return limit_of(1, RLIMIT_FSIZE);
}

long limit_first_high_bits() {
  auto none = rlimit{0, 0};
  return ::syscall(SYS_prlimit64, 0x100000001L, RLIMIT_NOFILE, &none, nullptr);
}

// The warden of the command: the parent of the shell that ran this program.
pid_t warden() {
  return static_cast<pid_t>(needed_number("WARDEN"));
}

long limit_warden_files() {
  return limit_of(warden(), RLIMIT_NOFILE);
}

long limit_warden_time() {
  return limit_of(warden(), RLIMIT_CPU);
}

long raise_cores() {
  auto all = rlimit{RLIM_INFINITY, RLIM_INFINITY};
  return ::setrlimit(RLIMIT_CORE, &all);
}

long raise_files() {
  auto all = rlimit{1 << 19, 1 << 19};
  return ::setrlimit(RLIMIT_NOFILE, &all);
}

long raise_size() {
  auto all = rlimit{RLIM_INFINITY, RLIM_INFINITY};
  return ::setrlimit(RLIMIT_FSIZE, &all);
}

long raise_time() {
  auto all = rlimit{RLIM_INFINITY, RLIM_INFINITY};
  return ::setrlimit(RLIMIT_CPU, &all);
}

long raise_priority() {
  return ::setpriority(PRIO_PROCESS, 0, -15);
}

long raise_real_time() {
  auto how = sched_param{};
  how.sched_priority = 50;
  return ::sched_setscheduler(0, SCHED_FIFO, &how);
}

long raise_io() {
  return ::syscall(SYS_ioprio_set, 1, 0, 1 << 13);
}

long attach_shared() {
  auto id = ::shmget(static_cast<key_t>(needed_number("SHM_KEY")), 0, 0);
  return id;
}

long spare_from_killer() {
  auto fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  return fd < 0 ? -1 : ::write(fd, "-900", 4);
}

constexpr auto attempts = std::array{
  attempt{"trace-first", trace_first},
  attempt{"trace-parent", trace_warden},
  attempt{"trace-victim", trace_victim},
  attempt{"trace-me", trace_me},
  attempt{"memory-read-first", memory_read_first},
  attempt{"memory-read-own", memory_read_own},
  attempt{"memory-read-victim", memory_read_victim},
  attempt{"memory-write-first", memory_write_first},
  attempt{"memory-open-first", memory_open_first},
  attempt{"memory-advise", memory_advise},
  attempt{"memory-policy", memory_policy},
  attempt{"memory-bind", memory_bind},
  attempt{"memory-migrate", memory_migrate},
  attempt{"memory-move", memory_move},
  attempt{"steal-of-first", descriptor_of_first},
  attempt{"steal-of-parent", descriptor_of_warden},
  attempt{"compare-with-first", compare_with_first},
  attempt{"find-victim", find_victim},
  attempt{"limit-first-files", limit_first_files},
  attempt{"limit-first-time", limit_first_time},
  attempt{"limit-first-size", limit_first_size},
  attempt{"limit-first-high-bits", limit_first_high_bits},
  attempt{"limit-warden-files", limit_warden_files},
  attempt{"limit-warden-time", limit_warden_time},
  attempt{"raise-cores", raise_cores},
  attempt{"raise-files", raise_files},
  attempt{"raise-size", raise_size},
  attempt{"raise-time", raise_time},
  attempt{"raise-priority", raise_priority},
  attempt{"raise-real-time", raise_real_time},
  attempt{"raise-io", raise_io},
  attempt{"attach-shared", attach_shared},
  attempt{"spare-from-killer", spare_from_killer},
};

} // namespace

std::span<const attempt> process_attempts() {
  return attempts;
}

} // namespace troupe::attacker
