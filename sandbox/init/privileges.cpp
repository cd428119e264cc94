#include "troupe/sandbox/init/privileges.hpp"

#include <cerrno>

#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::init {

namespace {

bool drop_bounding_set() {
  for (auto capability = 0;; ++capability) {
    auto known = ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
    if (known < 0)
      return errno == EINVAL; // past the last one
    if (known == 1 && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0)
      return false;
  }
}

bool drop_own() {
  auto header = __user_cap_header_struct{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

// User 0 is nobody special from here on.
constexpr auto bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED
                      | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED
                      | SECBIT_NO_CAP_AMBIENT_RAISE
                      | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED
                      | SECBIT_KEEP_CAPS_LOCKED;

} // namespace

bool drop_privileges() {
  return drop_bounding_set()
         && ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0
         && ::prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) == 0 && drop_own()
         && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
         && ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

} // namespace troupe::init
