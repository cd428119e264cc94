#include "sandbox/escapes/attacker/attempts.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace troupe::attacker {

namespace {

std::string workspace_file(const char* name) {
  return std::string{needed("W")} + "/" + name;
}

// As the kernel's file_handle.
struct handle {
  unsigned size = MAX_HANDLE_SZ;
  int type = 0;
  unsigned char bytes[MAX_HANDLE_SZ] = {};
};

long name_handle() {
  auto what = handle{};
  auto mount = 0;
  return ::syscall(SYS_name_to_handle_at, AT_FDCWD, needed("W"), &what, &mount,
                   0);
}

// The root of most file systems has inode 2; the handle of ext4 says no more.
long open_handle() {
  auto what = handle{};
  what.size = 8;
  what.type = 1;
  what.bytes[0] = 2;
  auto base = ::open(needed("W"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return ::syscall(SYS_open_by_handle_at, base, &what, O_RDONLY);
}

long open_path(const char* path, int flags) {
  return ::open(path, flags | O_CLOEXEC);
}

long open_disk() {
  return open_path("/dev/vda", O_RDONLY);
}

long open_memory() {
  return open_path("/dev/mem", O_RDONLY);
}

long open_first_program() {
  return open_path("/proc/1/exe", O_WRONLY);
}

long open_own_program() {
  return open_path("/proc/self/exe", O_WRONLY);
}

long open_init_program() {
  return open_path("/dev/.troupe-init", O_WRONLY);
}

long make_device(mode_t type, unsigned major, unsigned minor) {
  return ::mknod(workspace_file("device").c_str(), type | 0600,
                 ::makedev(major, minor));
}

long make_block_device() {
  return make_device(S_IFBLK, 254, 0);
}

long make_character_device() {
  return make_device(S_IFCHR, 1, 1);
}

// Overlay's whiteouts are devices that anybody may make; they open nothing.
long open_whiteout() {
  if (make_device(S_IFCHR, 0, 0) != 0)
    return -1;
  auto fd = ::open(workspace_file("device").c_str(), O_RDWR | O_CLOEXEC);
  auto before = errno;
  ::unlink(workspace_file("device").c_str());
  errno = before;
  return fd;
}

long make_device_outside() {
  return ::mknod("/dev/troupe-device", S_IFCHR | 0600, ::makedev(1, 3));
}

long give_away() {
  auto path = workspace_file("given");
  auto fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  return fd < 0 ? -1 : ::fchown(fd, 12345, 12345);
}

long set_capabilities() {
  auto path = workspace_file("capable");
  auto fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0755);
  // Version 2, effective, CAP_SYS_ADMIN.
  constexpr unsigned char value[20] = {1, 0, 0, 2, 0, 0, 0x20, 0, 0, 0,
                                       0, 0, 0, 0, 0, 0, 0,    0, 0, 0};
  return fd < 0
           ? -1
           : ::fsetxattr(fd, "security.capability", value, sizeof value, 0);
}

long link_secret() {
  return ::link(needed("SECRET"), workspace_file("linked").c_str());
}

long link_program() {
  return ::link("/usr/bin/passwd", workspace_file("linked").c_str());
}

// A way up from what is open already.
long climb(int fd) {
  return ::openat(fd, "../outside/secret.txt", O_RDONLY | O_CLOEXEC);
}

long climb_from_workspace() {
  auto base = ::open(needed("W"), O_PATH | O_DIRECTORY | O_CLOEXEC);
  return climb(base);
}

long climb_from_leaked() {
  for (auto fd = 3; fd < 1024; ++fd)
    if (climb(fd) >= 0)
      return 0;
  errno = ENOENT;
  return -1;
}

long watch_outside() {
  auto fd = ::inotify_init1(IN_CLOEXEC);
  return fd < 0 ? -1
                : ::inotify_add_watch(fd, needed("OUTSIDE"), IN_ALL_EVENTS);
}

long make_tty_name() {
  return open_path("/dev/tty0", O_RDWR);
}

long open_pty() {
  return open_path("/dev/ptmx", O_RDWR);
}

constexpr auto attempts = std::array{
  attempt{"handle-name", name_handle},
  attempt{"handle-open", open_handle},
  attempt{"device-disk", open_disk},
  attempt{"device-memory", open_memory},
  attempt{"device-make-block", make_block_device},
  attempt{"device-make-character", make_character_device},
  attempt{"device-whiteout", open_whiteout},
  attempt{"device-make-in-dev", make_device_outside},
  attempt{"device-console", make_tty_name},
  attempt{"device-pty", open_pty},
  attempt{"program-of-first", open_first_program},
  attempt{"program-own", open_own_program},
  attempt{"program-init", open_init_program},
  attempt{"give-away", give_away},
  attempt{"file-capabilities", set_capabilities},
  attempt{"link-secret", link_secret},
  attempt{"link-program", link_program},
  attempt{"climb-from-workspace", climb_from_workspace},
  attempt{"climb-from-leaked", climb_from_leaked},
  attempt{"watch-outside", watch_outside},
};

} // namespace

std::span<const attempt> file_attempts() {
  return attempts;
}

} // namespace troupe::attacker
