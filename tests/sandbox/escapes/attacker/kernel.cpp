#include "sandbox/escapes/attacker/attempts.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <sys/klog.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <unistd.h>

#ifdef __x86_64__
#  include <asm/ldt.h>

#  include <sys/io.h>
#endif

namespace troupe::attacker {

namespace {

constexpr auto call_memfd_secret = 447L;
constexpr auto call_quotactl_fd = 443L;
constexpr auto keyring_session = -3L;
constexpr auto keyring_user = -4L;

long io_ring_setup() {
  auto how = io_uring_params{};
  return ::syscall(SYS_io_uring_setup, 4, &how);
}

long io_ring_enter() {
  return ::syscall(SYS_io_uring_enter, -1, 0, 0, 0, nullptr, 0);
}

long io_ring_register() {
  return ::syscall(SYS_io_uring_register, -1, 0, nullptr, 0);
}

long bpf_map() {
  auto what = bpf_attr{};
  what.map_type = BPF_MAP_TYPE_ARRAY;
  what.key_size = what.value_size = 4;
  what.max_entries = 1;
  return ::syscall(SYS_bpf, BPF_MAP_CREATE, &what, sizeof what);
}

long bpf_program() {
  auto what = bpf_attr{};
  what.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
  return ::syscall(SYS_bpf, BPF_PROG_LOAD, &what, sizeof what);
}

long user_faults() {
  return ::syscall(SYS_userfaultfd, O_CLOEXEC);
}

long user_faults_only() {
  return ::syscall(SYS_userfaultfd, O_CLOEXEC | 1);
}

long performance() {
  auto what = perf_event_attr{};
  what.type = PERF_TYPE_SOFTWARE;
  what.size = sizeof what;
  what.config = PERF_COUNT_SW_CPU_CLOCK;
  what.exclude_kernel = 1;
  return ::syscall(SYS_perf_event_open, &what, 0, -1, -1, 0);
}

long key_add() {
  return ::syscall(SYS_add_key, "user", "troupe-test", "x", 1, keyring_session);
}

long key_add_user() {
  return ::syscall(SYS_add_key, "user", "troupe-test", "x", 1, keyring_user);
}

long key_request() {
  return ::syscall(SYS_request_key, "user", "troupe-test", nullptr, 0);
}

long key_join() {
  return ::syscall(SYS_keyctl, 1, nullptr);
}

long key_of_user() {
  return ::syscall(SYS_keyctl, 0, keyring_user, 0);
}

long key_describe() {
  return ::syscall(SYS_keyctl, 6, keyring_session, nullptr, 0);
}

long watch_all() {
  return ::syscall(SYS_fanotify_init, 0, O_RDONLY);
}

long watch_by_id() {
  // FAN_REPORT_FID: what users may have.
  return ::syscall(SYS_fanotify_init, 0x200, O_RDONLY);
}

long kexec() {
  return ::syscall(SYS_kexec_load, 0, 0, nullptr, 0);
}

long kexec_file() {
  return ::syscall(SYS_kexec_file_load, -1, -1, 0, nullptr, 0);
}

long module_init() {
  return ::syscall(SYS_init_module, nullptr, 0, "");
}

long module_init_file() {
  return ::syscall(SYS_finit_module, -1, "", 0);
}

long module_delete() {
  return ::syscall(SYS_delete_module, "troupe_no_such_module", O_NONBLOCK);
}

long swap_on() {
  return ::syscall(SYS_swapon, "/tmp/none", 0);
}

long swap_off() {
  return ::syscall(SYS_swapoff, "/tmp/none");
}

// With a wrong magic number, so that nothing happens where it is let through.
long reboot() {
  return ::syscall(SYS_reboot, 1, 2, 3, nullptr);
}

long account() {
  return ::syscall(SYS_acct, "/tmp/none");
}

long quota() {
  return ::syscall(SYS_quotactl, 0x80000100, nullptr, 0, nullptr);
}

long quota_by_descriptor() {
  return ::syscall(call_quotactl_fd, -1, 0, 0, nullptr);
}

long kernel_log() {
  char text[64];
  return ::klogctl(3, text, sizeof text);
}

long kernel_log_size() {
  return ::klogctl(10, nullptr, 0);
}

// All of these set what is there already, or nothing.
long clock_day() {
  return ::syscall(SYS_settimeofday, nullptr, nullptr);
}

long clock_set() {
  auto now = timespec{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return ::syscall(SYS_clock_settime, CLOCK_REALTIME, &now);
}

long clock_adjust() {
  auto what = timex{};
  return ::syscall(SYS_adjtimex, &what);
}

long clock_adjust_other() {
  auto what = timex{};
  return ::syscall(SYS_clock_adjtime, CLOCK_REALTIME, &what);
}

long name_host() {
  return ::syscall(SYS_sethostname, "sandbox", 7);
}

long name_domain() {
  return ::syscall(SYS_setdomainname, "sandbox", 7);
}

long no_randomness() {
  return ::syscall(SYS_personality, ADDR_NO_RANDOMIZE);
}

long read_implies_exec() {
  return ::syscall(SYS_personality, READ_IMPLIES_EXEC);
}

long personality_high_bits() {
  return ::syscall(SYS_personality, 0x100000000UL | ADDR_NO_RANDOMIZE);
}

long secret_memory() {
  return ::syscall(call_memfd_secret, 0);
}

#ifdef __x86_64__
long ports_all() {
  return ::syscall(SYS_iopl, 3);
}

long ports_some() {
  return ::syscall(SYS_ioperm, 0x80, 1, 1);
}

long descriptor_table() {
  auto what = user_desc{};
  what.limit = 1;
  what.seg_32bit = 1;
  return ::syscall(SYS_modify_ldt, 1, &what, sizeof what);
}

// The calls of other ABIs: x32 by a bit of the number, i386 by its interrupt.
long x32_getpid() {
  return ::syscall(0x40000000L + SYS_getpid);
}

long x32_unshare() {
  return ::syscall(0x40000000L + SYS_unshare, 0x10000000L);
}

long x32_ptrace() {
  return ::syscall(0x40000000L + 521, 0, 0, 0, 0);
}

long i386(long number, long first, long second) {
  auto result = long{0};
  asm volatile("int $0x80"
               : "=a"(result)
               : "a"(number), "b"(first), "c"(second)
               : "memory", "r8", "r9", "r10", "r11");
  if (result >= 0)
    return result;
  errno = static_cast<int>(-result);
  return -1;
}

long i386_getpid() {
  return i386(20, 0, 0);
}

long i386_unshare() {
  return i386(310, 0x10000000L, 0);
}

long i386_socketcall() {
  return i386(102, 1, 0);
}
#endif

constexpr auto attempts = std::array{
  attempt{"ring-setup", io_ring_setup},
  attempt{"ring-enter", io_ring_enter},
  attempt{"ring-register", io_ring_register},
  attempt{"bpf-map", bpf_map},
  attempt{"bpf-program", bpf_program},
  attempt{"userfault-all", user_faults},
  attempt{"userfault-user-only", user_faults_only},
  attempt{"perf-event", performance},
  attempt{"key-add", key_add},
  attempt{"key-add-user", key_add_user},
  attempt{"key-request", key_request},
  attempt{"key-join", key_join},
  attempt{"key-of-user", key_of_user},
  attempt{"key-describe", key_describe},
  attempt{"fanotify-all", watch_all},
  attempt{"fanotify-by-id", watch_by_id},
  attempt{"host-kexec", kexec},
  attempt{"host-kexec-file", kexec_file},
  attempt{"host-module-init", module_init},
  attempt{"host-module-file", module_init_file},
  attempt{"host-module-delete", module_delete},
  attempt{"host-swapon", swap_on},
  attempt{"host-swapoff", swap_off},
  attempt{"host-reboot", reboot},
  attempt{"host-acct", account},
  attempt{"host-quota", quota},
  attempt{"host-quota-fd", quota_by_descriptor},
  attempt{"host-log", kernel_log},
  attempt{"host-log-size", kernel_log_size},
  attempt{"host-settimeofday", clock_day},
  attempt{"host-clock-settime", clock_set},
  attempt{"host-adjtimex", clock_adjust},
  attempt{"host-clock-adjtime", clock_adjust_other},
  attempt{"host-name", name_host},
  attempt{"host-domain", name_domain},
  attempt{"persona-no-randomness", no_randomness},
  attempt{"persona-read-implies-exec", read_implies_exec},
  attempt{"persona-high-bits", personality_high_bits},
  attempt{"secret-memory", secret_memory},
#ifdef __x86_64__
  attempt{"machine-iopl", ports_all},
  attempt{"machine-ioperm", ports_some},
  attempt{"machine-ldt", descriptor_table},
  attempt{"abi-x32-getpid", x32_getpid},
  attempt{"abi-x32-unshare", x32_unshare},
  attempt{"abi-x32-ptrace", x32_ptrace},
  attempt{"abi-i386-getpid", i386_getpid},
  attempt{"abi-i386-unshare", i386_unshare},
  attempt{"abi-i386-socketcall", i386_socketcall},
#endif
};

} // namespace

std::span<const attempt> kernel_attempts() {
  return attempts;
}

} // namespace troupe::attacker
