#include "troupe/sandbox/init/mounts.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// After <linux/mount.h>, whose constants the C library's header has as macros.
extern "C" int mount(const char*, const char*, const char*, unsigned long,
                     const void*);

namespace troupe::init {

namespace {

constexpr auto everything = AT_RECURSIVE;

bool is_missing() {
  return errno == ENOENT || errno == ENOTDIR;
}

class descriptor {
public:
  explicit descriptor(long fd) : fd_(static_cast<int>(fd)) {
    // nop
  }

  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  ~descriptor() {
    auto before = errno;
    if (fd_ >= 0)
      ::close(fd_);
    errno = before;
  }

  int get() const {
    return fd_;
  }

  bool is_open() const {
    return fd_ >= 0;
  }

private:
  int fd_;
};

bool is_same(int fd, const step& expected) {
  struct stat found{};

  if (::fstat(fd, &found) != 0)
    return false;
  if (found.st_dev == expected.a && found.st_ino == expected.b)
    return true;
  errno = ESTALE;
  return false;
}

bool verify(const mount_step& x) {
  auto fd = descriptor{::open(x.path, O_PATH | O_DIRECTORY | O_CLOEXEC)};
  return fd.is_open() && is_same(fd.get(), x.what);
}

long clone_mount(int fd) {
  return ::syscall(SYS_open_tree, fd, "",
                   AT_EMPTY_PATH | everything | OPEN_TREE_CLONE
                     | OPEN_TREE_CLOEXEC);
}

bool set_access(int tree, bool is_writable) {
  auto attributes = mount_attr{};
  attributes.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (is_writable)
    attributes.attr_clr = MOUNT_ATTR_RDONLY;
  else
    attributes.attr_set |= MOUNT_ATTR_RDONLY;
  return ::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | everything,
                   &attributes, sizeof attributes)
         == 0;
}

bool attach(int tree, int where) {
  return ::syscall(SYS_move_mount, tree, "", where, "",
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH)
         == 0;
}

// Both ends of the mount are one descriptor: nothing is looked up again by its
// name, so nothing can be put in its place meanwhile.
bool mount_over(int fd, bool is_writable) {
  auto tree = descriptor{clone_mount(fd)};
  return tree.is_open() && set_access(tree.get(), is_writable)
         && attach(tree.get(), fd);
}

bool nest(const mount_step& x) {
  auto base = descriptor{::open(x.text, O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!base.is_open())
    return false;
  auto how = open_how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  auto fd
    = descriptor{::syscall(SYS_openat2, base.get(), x.path, &how, sizeof how)};
  return fd.is_open() && is_same(fd.get(), x.what)
         && mount_over(fd.get(), (x.what.flags & writable) != 0);
}

bool make_file(const mount_step& x) {
  auto fd
    = descriptor{::open(x.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)};
  auto size = std::strlen(x.text);
  return fd.is_open()
         && ::write(fd.get(), x.text, size) == static_cast<ssize_t>(size);
}

// bubblewrap makes the folders of its mounts for their owner only.
bool make_directory(const mount_step& x) {
  return (::mkdir(x.path, 0755) == 0 || errno == EEXIST)
         && ::chmod(x.path, 0755) == 0;
}

bool limit_tmpfs(const mount_step& x) {
  char options[96];
  std::snprintf(options, sizeof options, "size=%llu,nr_inodes=%llu,mode=1777",
                static_cast<unsigned long long>(x.what.a),
                static_cast<unsigned long long>(x.what.b));
  return ::mount("tmpfs", x.path, nullptr, MS_REMOUNT | MS_NOSUID | MS_NODEV,
                 options)
         == 0;
}

bool make_read_only(const mount_step& x) {
  auto fd = descriptor{::open(x.path, O_PATH | O_CLOEXEC)};
  if (!fd.is_open())
    return is_missing();
  return mount_over(fd.get(), false);
}

bool seal(const mount_step& x) {
  auto attributes = mount_attr{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return ::syscall(SYS_mount_setattr, AT_FDCWD, x.path, 0, &attributes,
                   sizeof attributes)
         == 0;
}

// The device itself can still be written, but not the mode of the host's file.
bool keep_mode(int tree) {
  auto attributes = mount_attr{};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID
                        | MOUNT_ATTR_NOEXEC;
  return ::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes,
                   sizeof attributes)
         == 0;
}

// A file reads as /dev/null does, a directory as an empty one.
bool mask(const mount_step& x) {
  struct stat found{};

  auto fd = descriptor{::open(x.path, O_PATH | O_CLOEXEC)};
  if (!fd.is_open())
    return is_missing();
  if (::fstat(fd.get(), &found) != 0)
    return false;
  if (S_ISDIR(found.st_mode))
    return ::mount("tmpfs", x.path, "tmpfs",
                   MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=0")
           == 0;
  auto null = descriptor{::open("/dev/null", O_PATH | O_CLOEXEC)};
  auto tree = descriptor{clone_mount(null.get())};
  return tree.is_open() && keep_mode(tree.get())
         && attach(tree.get(), fd.get());
}

bool cover(const mount_step& x) {
  auto fd = descriptor{::open(x.path, O_PATH | O_CLOEXEC)};
  if (!fd.is_open())
    return is_missing();
  auto source = descriptor{::open(x.text, O_PATH | O_CLOEXEC)};
  if (!source.is_open())
    return false;
  auto tree = descriptor{clone_mount(source.get())};
  return tree.is_open() && attach(tree.get(), fd.get());
}

} // namespace

bool carry_out(const mount_step& x) {
  switch (x.what.kind) {
    case step_kind::verify:
      return verify(x);
    case step_kind::nest:
      return nest(x);
    case step_kind::file:
      return make_file(x);
    case step_kind::directory:
      return make_directory(x);
    case step_kind::tmpfs:
      return limit_tmpfs(x);
    case step_kind::read_only:
      return make_read_only(x);
    case step_kind::seal:
      return seal(x);
    case step_kind::mask:
      return mask(x);
    case step_kind::cover:
      return cover(x);
    case step_kind::listen_tcp:
    case step_kind::bind_udp:
    case step_kind::address:
      break; // no mounts
  }
  errno = EINVAL;
  return false;
}

} // namespace troupe::init
