#include "sandbox/escapes/attacker/attempts.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <linux/tiocl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::attacker {

namespace {

constexpr auto high_bits = 0x100000000UL;

// Standard input is the terminal.
template <unsigned long Request>
long type() {
  for (auto c : {'I', 'N', 'J', 'E', 'C', 'T', '\n'})
    if (::syscall(SYS_ioctl, 0, Request, &c) != 0)
      return -1;
  return 0;
}

template <unsigned long Request>
long paste() {
  auto what = char{TIOCL_PASTESEL};
  return ::syscall(SYS_ioctl, 0, Request, &what);
}

long take_terminal() {
  return ::ioctl(0, TIOCSCTTY, 0);
}

long take_terminal_by_force() {
  return ::ioctl(0, TIOCSCTTY, 1);
}

long take_terminal_in_session() {
  ::setsid();
  return ::ioctl(0, TIOCSCTTY, 1);
}

long take_console() {
  return ::ioctl(0, TIOCCONS, 0);
}

long open_own_terminal() {
  return ::open("/dev/tty", O_RDWR | O_CLOEXEC);
}

constexpr auto attempts = std::array{
  attempt{"type-plain", type<TIOCSTI>},
  attempt{"type-high-bits", type<TIOCSTI | high_bits>},
  attempt{"type-highest-bits", type<TIOCSTI | 0xffffffff00000000UL>},
  attempt{"paste-plain", paste<TIOCLINUX>},
  attempt{"paste-high-bits", paste<TIOCLINUX | high_bits>},
  attempt{"terminal-take", take_terminal},
  attempt{"terminal-take-by-force", take_terminal_by_force},
  attempt{"terminal-take-in-session", take_terminal_in_session},
  attempt{"terminal-console", take_console},
  attempt{"terminal-own", open_own_terminal},
};

} // namespace

std::span<const attempt> terminal_attempts() {
  return attempts;
}

} // namespace troupe::attacker
