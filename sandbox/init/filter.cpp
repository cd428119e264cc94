#include "troupe/sandbox/init/filter.hpp"

#include "troupe/sandbox/init/filter_programs.hpp"

#include <cerrno>

#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::init {

namespace {

int install(const sock_fprog& program) {
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0
           ? 0
           : errno;
}

} // namespace

int install_filter(bool unix_sockets) {
  return install(unix_sockets ? with_unix_sockets : without_unix_sockets);
}

int install_spawn_filter() {
  return install(without_processes);
}

} // namespace troupe::init
