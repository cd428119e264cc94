#include "troupe/sandbox/init/scope.hpp"

#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::init {

namespace {

// Of <linux/landlock.h>, which is older than scopes on some machines. All
// machines number these calls alike.
constexpr auto call_create_ruleset = 444L;
constexpr auto call_restrict_self = 446L;
constexpr auto ask_version = 1U;
constexpr auto version_with_scopes = 6L;

struct ruleset {
  uint64_t handled_access_fs = 0;
  uint64_t handled_access_net = 0;
  uint64_t scoped = 0;
};

constexpr auto scope_abstract_unix_socket = uint64_t{1} << 0;
constexpr auto scope_signal = uint64_t{1} << 1;

} // namespace

bool can_enter_scope() {
  return ::syscall(call_create_ruleset, nullptr, 0, ask_version)
         >= version_with_scopes;
}

bool open_scope(int& fd) {
  // Above the numbers that a command's descriptors get.
  constexpr auto lowest = 16;
  fd = -1;
  if (!can_enter_scope())
    return true;
  auto what = ruleset{};
  what.scoped = scope_abstract_unix_socket | scope_signal;
  auto low = ::syscall(call_create_ruleset, &what, sizeof what, 0);
  if (low < 0)
    return false;
  fd = ::fcntl(static_cast<int>(low), F_DUPFD_CLOEXEC, lowest);
  auto before = errno;
  ::close(static_cast<int>(low));
  errno = before;
  return fd >= 0;
}

bool enter_scope(int fd) {
  return ::syscall(call_restrict_self, fd, 0) == 0;
}

} // namespace troupe::init
