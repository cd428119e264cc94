#include "sandbox/escapes/attacker/attempts.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::attacker {

namespace {

// All of these leave files called set-id-* in the workspace where they work.

constexpr auto call_fchmodat2 = 452L;
constexpr auto high_bits = 0x100000000UL;

std::string path_of(const char* name) {
  return std::string{needed("W")} + "/set-id-" + name;
}

// A plain file to change, and its descriptor.
int make(const std::string& path) {
  return ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0755);
}

template <unsigned long Mode>
long by_path() {
  auto path = path_of("chmod");
  return make(path) < 0 ? -1 : ::syscall(SYS_chmod, path.c_str(), Mode);
}

template <unsigned long Mode>
long by_descriptor() {
  auto fd = make(path_of("fchmod"));
  return fd < 0 ? -1 : ::syscall(SYS_fchmod, fd, Mode);
}

template <unsigned long Mode>
long by_path_at() {
  auto path = path_of("fchmodat");
  return make(path) < 0 ? -1
                        : ::syscall(SYS_fchmodat, AT_FDCWD, path.c_str(), Mode);
}

template <unsigned long Mode>
long by_path_at_2() {
  auto path = path_of("fchmodat2");
  return make(path) < 0
           ? -1
           : ::syscall(call_fchmodat2, AT_FDCWD, path.c_str(), Mode, 0);
}

long by_empty_path() {
  auto fd = make(path_of("fchmodat2-empty"));
  return fd < 0 ? -1
                : ::syscall(call_fchmodat2, fd, "", 04755UL, AT_EMPTY_PATH);
}

// Creating with the bit is as good as changing to it.
template <unsigned long Mode>
long by_open() {
  return ::syscall(SYS_open, path_of("open").c_str(), O_CREAT | O_RDWR, Mode);
}

template <unsigned long Mode>
long by_openat() {
  return ::syscall(SYS_openat, AT_FDCWD, path_of("openat").c_str(),
                   O_CREAT | O_RDWR, Mode);
}

long by_openat_high_flags() {
  return ::syscall(SYS_openat, AT_FDCWD, path_of("openat-high").c_str(),
                   high_bits | O_CREAT | O_RDWR, 04755UL);
}

long by_openat2() {
  auto how = open_how{};
  how.flags = O_CREAT | O_RDWR;
  how.mode = 04755;
  return ::syscall(SYS_openat2, AT_FDCWD, path_of("openat2").c_str(), &how,
                   sizeof how);
}

long by_creat() {
  return ::syscall(SYS_creat, path_of("creat").c_str(), 04755UL);
}

long by_mknod() {
  return ::syscall(SYS_mknod, path_of("mknod").c_str(), S_IFREG | 04755UL, 0);
}

long by_mknodat() {
  return ::syscall(SYS_mknodat, AT_FDCWD, path_of("mknodat").c_str(),
                   S_IFREG | 02755UL, 0);
}

long by_mknod_without_type() {
  return ::syscall(SYS_mknod, path_of("mknod0").c_str(), 04755UL, 0);
}

// A file without a name, that gets one.
long by_unnamed_file() {
  auto fd = ::syscall(SYS_openat, AT_FDCWD, needed("W"), O_TMPFILE | O_RDWR,
                      04755UL);
  if (fd < 0)
    return -1;
  auto from = "/proc/self/fd/" + std::to_string(fd);
  return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path_of("tmpfile").c_str(),
                  AT_SYMLINK_FOLLOW);
}

// The kernel drops the bits here; only what is there afterwards counts.
long by_mkdir() {
  auto path = path_of("mkdir");
  struct stat found{};

  if (::syscall(SYS_mkdir, path.c_str(), 06755UL) != 0
      || ::stat(path.c_str(), &found) != 0)
    return -1;
  errno = EPERM;
  return (found.st_mode & (S_ISUID | S_ISGID)) != 0 ? 0 : -1;
}

// Ids of its own, so that a set-id bit would matter.
long become_other() {
  return ::setresuid(12345, 12345, 12345);
}

long become_other_group() {
  return ::setresgid(12345, 12345, 12345);
}

long become_root() {
  return ::geteuid() == 0 ? (errno = EPERM, -1) : ::setresuid(0, 0, 0);
}

constexpr auto attempts = std::array{
  attempt{"set-id-chmod-user", by_path<04755>},
  attempt{"set-id-chmod-group", by_path<02755>},
  attempt{"set-id-chmod-both", by_path<06755>},
  attempt{"set-id-chmod-high-bits", by_path<high_bits | 04755>},
  attempt{"set-id-fchmod-user", by_descriptor<04755>},
  attempt{"set-id-fchmod-group", by_descriptor<02755>},
  attempt{"set-id-fchmod-odd", by_descriptor<04000>},
  attempt{"set-id-fchmodat-user", by_path_at<04755>},
  attempt{"set-id-fchmodat-group", by_path_at<02755>},
  attempt{"set-id-fchmodat2-user", by_path_at_2<04755>},
  attempt{"set-id-fchmodat2-group", by_path_at_2<02755>},
  attempt{"set-id-fchmodat2-empty-path", by_empty_path},
  attempt{"set-id-open-user", by_open<04755>},
  attempt{"set-id-open-group", by_open<02755>},
  attempt{"set-id-openat-user", by_openat<04755>},
  attempt{"set-id-openat-group", by_openat<02755>},
  attempt{"set-id-openat-high-mode", by_openat<high_bits | 04755>},
  attempt{"set-id-openat-high-flags", by_openat_high_flags},
  attempt{"set-id-openat2", by_openat2},
  attempt{"set-id-creat", by_creat},
  attempt{"set-id-mknod", by_mknod},
  attempt{"set-id-mknodat", by_mknodat},
  attempt{"set-id-mknod-without-type", by_mknod_without_type},
  attempt{"set-id-unnamed-file", by_unnamed_file},
  attempt{"set-id-mkdir", by_mkdir},
  attempt{"become-other", become_other},
  attempt{"become-other-group", become_other_group},
  attempt{"become-root", become_root},
};

} // namespace

std::span<const attempt> set_id_attempts() {
  return attempts;
}

} // namespace troupe::attacker
