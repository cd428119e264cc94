#include "troupe/sandbox/init/filter.hpp"

#include "filter_programs.hpp"

#include <cerrno>
#include <cstddef>

#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::init {

namespace {

template <size_t Size>
int install(const sock_filter (&code)[Size]) {
  static_assert(Size <= BPF_MAXINSNS);
  // The kernel only reads it.
  auto program = sock_fprog{Size, const_cast<sock_filter*>(code)};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0
           ? 0
           : errno;
}

} // namespace

int install_filter(bool unix_sockets) {
  return unix_sockets ? install(with_unix_sockets)
                      : install(without_unix_sockets);
}

int install_spawn_filter() {
  return install(without_processes);
}

} // namespace troupe::init
