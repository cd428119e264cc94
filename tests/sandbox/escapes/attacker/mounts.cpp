#include "sandbox/escapes/attacker/attempts.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::attacker {

namespace {

// Numbers of calls that are younger than some headers; all machines share
// them.
constexpr auto call_mount_setattr = 442L;
constexpr auto call_open_tree_attr = 467L;

constexpr auto clone_tree = 1;

struct attributes {
  unsigned long long set = 0;
  unsigned long long clear = 0;
  unsigned long long propagation = 0;
  unsigned long long user_namespace = 0;
};

long mount_tmpfs() {
  return ::mount("tmpfs", "/tmp", "tmpfs", 0, nullptr);
}

long mount_proc() {
  return ::mount("proc", "/tmp", "proc", 0, nullptr);
}

long mount_overlay() {
  return ::mount("overlay", "/tmp", "overlay", 0, "lowerdir=/usr:/etc");
}

long mount_bind() {
  return ::mount("/", "/tmp", nullptr, MS_BIND | MS_REC, nullptr);
}

long mount_writable_root() {
  return ::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr);
}

long mount_writable_usr() {
  return ::mount(nullptr, "/usr", nullptr, MS_REMOUNT | MS_BIND, nullptr);
}

long mount_move() {
  return ::mount("/tmp", "/dev/shm", nullptr, MS_MOVE, nullptr);
}

long mount_shared() {
  return ::mount(nullptr, "/", nullptr, MS_SHARED | MS_REC, nullptr);
}

long unmount_tmp() {
  return ::umount2("/tmp", MNT_DETACH);
}

long unmount_mask() {
  return ::umount2("/proc/kcore", MNT_DETACH);
}

long unmount_proc_sys() {
  return ::umount2("/proc/sys", MNT_DETACH);
}

long open_file_system() {
  return ::syscall(SYS_fsopen, "tmpfs", 0);
}

long pick_file_system() {
  return ::syscall(SYS_fspick, AT_FDCWD, "/", 0);
}

long configure_file_system() {
  return ::syscall(SYS_fsconfig, 0, 6, nullptr, nullptr, 0);
}

long mount_file_system() {
  return ::syscall(SYS_fsmount, 0, 0, 0);
}

long open_tree() {
  return ::syscall(SYS_open_tree, AT_FDCWD, "/", clone_tree);
}

long open_tree_plain() {
  return ::syscall(SYS_open_tree, AT_FDCWD, "/", 0);
}

long open_tree_with() {
  auto what = attributes{};
  return ::syscall(call_open_tree_attr, AT_FDCWD, "/", clone_tree, &what,
                   sizeof what);
}

long move_tree() {
  return ::syscall(SYS_move_mount, AT_FDCWD, "/tmp", AT_FDCWD, "/dev/shm", 0);
}

long set_writable() {
  auto what = attributes{};
  what.clear = 1;
  return ::syscall(call_mount_setattr, AT_FDCWD, "/usr", 0, &what, sizeof what);
}

long set_set_id() {
  auto what = attributes{};
  what.clear = 2;
  return ::syscall(call_mount_setattr, AT_FDCWD, needed("W"), 0, &what,
                   sizeof what);
}

long pivot() {
  return ::syscall(SYS_pivot_root, ".", ".");
}

long change_root() {
  return ::chroot(".");
}

// The classic way out: a root below, a descriptor above.
long change_root_twice() {
  auto above = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ::mkdir("/tmp/below", 0700);
  if (::chroot("/tmp/below") != 0)
    return -1;
  return ::fchdir(above) == 0 && ::chdir("..") == 0 ? ::chroot(".") : -1;
}

constexpr auto attempts = std::array{
  attempt{"mount-tmpfs", mount_tmpfs},
  attempt{"mount-proc", mount_proc},
  attempt{"mount-overlay", mount_overlay},
  attempt{"mount-bind", mount_bind},
  attempt{"mount-writable-root", mount_writable_root},
  attempt{"mount-writable-usr", mount_writable_usr},
  attempt{"mount-move", mount_move},
  attempt{"mount-shared", mount_shared},
  attempt{"umount-tmp", unmount_tmp},
  attempt{"umount-mask", unmount_mask},
  attempt{"umount-proc-sys", unmount_proc_sys},
  attempt{"mountapi-fsopen", open_file_system},
  attempt{"mountapi-fspick", pick_file_system},
  attempt{"mountapi-fsconfig", configure_file_system},
  attempt{"mountapi-fsmount", mount_file_system},
  attempt{"mountapi-open-tree", open_tree},
  attempt{"mountapi-open-tree-plain", open_tree_plain},
  attempt{"mountapi-open-tree-attr", open_tree_with},
  attempt{"mountapi-move-mount", move_tree},
  attempt{"mountapi-set-writable", set_writable},
  attempt{"mountapi-set-suid", set_set_id},
  attempt{"root-pivot", pivot},
  attempt{"root-chroot", change_root},
  attempt{"root-chroot-twice", change_root_twice},
};

} // namespace

std::span<const attempt> mount_attempts() {
  return attempts;
}

} // namespace troupe::attacker
