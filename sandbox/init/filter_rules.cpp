#include "troupe/sandbox/init/filter_rules.hpp"

#include <sched.h>
#include <seccomp.h>

#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/tiocl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace troupe::init {

namespace {

// What is refused whatever its arguments. A name that this machine does not
// have is passed over.
constexpr const char* refused[] = {
  // mounts and namespaces
  "mount",
  "umount",
  "umount2",
  "pivot_root",
  "chroot",
  "fsopen",
  "fsconfig",
  "fsmount",
  "fspick",
  "move_mount",
  "open_tree",
  "mount_setattr",
  "unshare",
  "setns",
  // keys, kernel interfaces that go around a filter, or watch others
  "add_key",
  "keyctl",
  "request_key",
  "io_uring_setup",
  "io_uring_enter",
  "io_uring_register",
  "bpf",
  "userfaultfd",
  "perf_event_open",
  "fanotify_init",
  "fanotify_mark",
  "lookup_dcookie",
  "memfd_secret",
  // other processes
  "ptrace",
  "process_vm_readv",
  "process_vm_writev",
  "process_madvise",
  "pidfd_getfd",
  "kcmp",
  "move_pages",
  "migrate_pages",
  "mbind",
  "set_mempolicy",
  "set_mempolicy_home_node",
  // files by something else than their path
  "open_by_handle_at",
  "name_to_handle_at",
  // the host
  "kexec_load",
  "kexec_file_load",
  "init_module",
  "finit_module",
  "delete_module",
  "create_module",
  "swapon",
  "swapoff",
  "reboot",
  "acct",
  "quotactl",
  "quotactl_fd",
  "syslog",
  "settimeofday",
  "stime",
  "clock_settime",
  "clock_settime64",
  "clock_adjtime",
  "clock_adjtime64",
  "adjtimex",
  "sethostname",
  "setdomainname",
  "iopl",
  "ioperm",
  "nfsservctl",
  "vhangup",
  "ustat",
  "sysfs",
  "_sysctl",
  "uselib",
  "personality",
  "modify_ldt",
  "vm86",
  "vm86old",
  "open_tree_attr",
};

/// A call that is newer than some libraries; all machines number it alike.
struct young_call {
  std::string_view name;
  int number;
};

constexpr young_call young[] = {
  {"process_madvise", 440},
  {"mount_setattr", 442},
  {"quotactl_fd", 443},
  {"memfd_secret", 447},
  {"set_mempolicy_home_node", 450},
  {"fchmodat2", 452},
  {"open_tree_attr", 467},
};

// Calls that programs try and do without. Their arguments are in memory, where
// a filter cannot look.
constexpr const char* unknown[] = {"clone3", "openat2"};

constexpr uint64_t namespaces[] = {
  CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,    CLONE_NEWNET,
  CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP,
};

// An argument of type int is compared in its 32 bits: the kernel drops the
// others.
constexpr auto int_bits = uint64_t{0xffffffff};

int number_of(const char* name) {
  auto number = seccomp_syscall_resolve_name(name);
  if (number >= 0)
    return number;
  for (const auto& call : young)
    if (call.name == name)
      return call.number;
  return number;
}

/// A filter under construction. Remembers its first failure.
class builder {
public:
  builder() : filter_(seccomp_init(SCMP_ACT_ALLOW)) {
    if (filter_ == nullptr) {
      failed_ = ENOMEM;
      return;
    }
    // Another ABI of the machine numbers its calls in another way.
    note(seccomp_attr_set(filter_, SCMP_FLTATR_ACT_BADARCH,
                          SCMP_ACT_ERRNO(ENOSYS)));
    // A tree instead of a list: calls that nothing is said about are found out
    // soon. Old libraries cannot do it.
    seccomp_attr_set(filter_, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  }

  builder(const builder&) = delete;
  builder& operator=(const builder&) = delete;

  ~builder() {
    if (filter_ != nullptr)
      seccomp_release(filter_);
  }

  template <class... Conditions>
  void refuse(const char* name, int code, Conditions... conditions) {
    auto number = number_of(name);
    if (number < 0 || filter_ == nullptr)
      return;
    note(seccomp_rule_add(filter_, SCMP_ACT_ERRNO(static_cast<uint16_t>(code)),
                          number, sizeof...(conditions), conditions...));
  }

  int write(int fd) {
    if (failed_ == 0)
      note(seccomp_export_bpf(filter_, fd));
    return failed_;
  }

private:
  void note(int result) {
    if (result < 0 && failed_ == 0)
      failed_ = -result;
  }

  scmp_filter_ctx filter_;
  int failed_ = 0;
};

// The macros of the library are C.
scmp_arg_cmp masked(unsigned argument, uint64_t mask, uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

scmp_arg_cmp has_bits(unsigned argument, uint64_t bits) {
  return masked(argument, bits, bits);
}

scmp_arg_cmp equals_int(unsigned argument, uint64_t value) {
  return masked(argument, int_bits, value);
}

scmp_arg_cmp differs(unsigned argument, uint64_t value) {
  return {argument, SCMP_CMP_NE, value, 0};
}

void refuse_namespaces(builder& to) {
  for (auto flag : namespaces)
    to.refuse("clone", EPERM, has_bits(0, flag));
}

// Typing into somebody's terminal.
void refuse_injection(builder& to) {
  to.refuse("ioctl", EPERM, equals_int(1, TIOCSTI));
  to.refuse("ioctl", EPERM, equals_int(1, TIOCLINUX));
}

// A file that runs as its owner would work on the host too.
void refuse_set_id(builder& to) {
  constexpr uint64_t creating[] = {O_CREAT, O_TMPFILE & ~O_DIRECTORY};
  for (auto bit : {uint64_t{S_ISUID}, uint64_t{S_ISGID}}) {
    to.refuse("chmod", EPERM, has_bits(1, bit));
    to.refuse("fchmod", EPERM, has_bits(1, bit));
    to.refuse("fchmodat", EPERM, has_bits(2, bit));
    to.refuse("fchmodat2", EPERM, has_bits(2, bit));
    to.refuse("creat", EPERM, has_bits(1, bit));
    to.refuse("mknod", EPERM, has_bits(1, bit));
    to.refuse("mknodat", EPERM, has_bits(2, bit));
    for (auto flag : creating) {
      to.refuse("open", EPERM, has_bits(1, flag), has_bits(2, bit));
      to.refuse("openat", EPERM, has_bits(2, flag), has_bits(3, bit));
    }
  }
}

// Limits that were put on its warden, or on the init, would keep them from
// doing their work, or end them.
void refuse_limiting_others(builder& to) {
  to.refuse("prlimit64", EPERM, differs(0, 0), differs(2, 0));
}

// A socket of a pair of datagrams can be turned to any address, as if it had
// been opened for that; one of a stream keeps its peer.
void refuse_datagram_pairs(builder& to) {
  constexpr auto type_bits = uint64_t{0xf};
  for (auto type : {SOCK_DGRAM, SOCK_RAW})
    to.refuse("socketpair", EPROTONOSUPPORT,
              masked(1, type_bits, static_cast<uint64_t>(type)));
}

// The kernel refuses families past its last one by itself.
void refuse_families(builder& to, bool unix_sockets) {
  constexpr auto past_last = 64;
  auto is_open = [unix_sockets](int family) {
    return family == AF_INET || family == AF_INET6 || family == AF_NETLINK
           || (family == AF_UNIX && unix_sockets);
  };
  for (auto family = 0; family < past_last; ++family)
    if (!is_open(family))
      to.refuse("socket", EAFNOSUPPORT,
                equals_int(0, static_cast<uint64_t>(family)));
  // Of netlink, what tells a program of its own addresses.
  to.refuse("socket", EPROTONOSUPPORT, equals_int(0, AF_NETLINK),
            differs(2, NETLINK_ROUTE));
  for (auto family = 0; family < past_last; ++family)
    if (family != AF_UNIX)
      to.refuse("socketpair", EAFNOSUPPORT,
                equals_int(0, static_cast<uint64_t>(family)));
  if (!unix_sockets)
    refuse_datagram_pairs(to);
}

} // namespace

int write_filter(int fd, bool unix_sockets) {
  auto to = builder{};
  for (const auto* name : refused)
    to.refuse(name, EPERM);
  for (const auto* name : unknown)
    to.refuse(name, ENOSYS);
  refuse_namespaces(to);
  refuse_injection(to);
  refuse_set_id(to);
  refuse_limiting_others(to);
  refuse_families(to, unix_sockets);
  return to.write(fd);
}

int write_spawn_filter(int fd) {
  auto to = builder{};
  to.refuse("fork", EPERM);
  to.refuse("vfork", EPERM);
  to.refuse("clone3", ENOSYS);
  to.refuse("clone", EPERM, masked(0, uint64_t{CLONE_THREAD}, 0));
  return to.write(fd);
}

} // namespace troupe::init
