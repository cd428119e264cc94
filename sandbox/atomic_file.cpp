#include "troupe/sandbox/atomic_file.hpp"

#include "troupe/sandbox/unique_fd.hpp"
#include "troupe/sandbox/write_all.hpp"

#include <cerrno>
#include <cstdio>
#include <random>

#include <fcntl.h>

namespace troupe {

namespace {

struct temporary_file {
  unique_fd fd;
  std::string name;
};

temporary_file create_temporary(int parent, mode_t mode) {
  auto random = std::random_device{};
  auto result = temporary_file{};
  for (auto attempt = 0; attempt < 16 && !result.fd; ++attempt) {
    result.name = ".troupe-" + std::to_string(random()) + ".tmp";
    result.fd = unique_fd{
      ::openat(parent, result.name.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
    if (!result.fd && errno != EEXIST)
      break;
  }
  return result;
}

// The owner first: changing it clears mode bits. Only root may give files
// away; for others the file becomes theirs, as with any editor that renames.
int take_over(int fd, const struct stat& current) {
  if (::fchown(fd, current.st_uid, current.st_gid) != 0 && errno != EPERM)
    return errno;
  // Never set-id bits: they were granted to the old content.
  return ::fchmod(fd, current.st_mode & 0777) == 0 ? 0 : errno;
}

int fill(int fd, std::string_view content,
         const std::optional<struct stat>& current) {
  if (auto code = write_all(fd, content))
    return code;
  if (current)
    if (auto code = take_over(fd, *current))
      return code;
  return ::fsync(fd) == 0 ? 0 : errno;
}

bool is_unchanged(const struct stat& x, const struct stat& y) noexcept {
  return x.st_dev == y.st_dev && x.st_ino == y.st_ino && x.st_size == y.st_size
         && x.st_mtim.tv_sec == y.st_mtim.tv_sec
         && x.st_mtim.tv_nsec == y.st_mtim.tv_nsec;
}

// File systems without RENAME_NOREPLACE get a check with a small gap.
int put_new(int parent, const char* from, const char* to) {
  if (::renameat2(parent, from, parent, to, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return errno;

  struct stat status{};

  if (::fstatat(parent, to, &status, AT_SYMLINK_NOFOLLOW) == 0)
    return EEXIST;
  return ::renameat(parent, from, parent, to) == 0 ? 0 : errno;
}

int put(int parent, const char* from, const char* to,
        const std::optional<struct stat>& current) {
  if (!current)
    return put_new(parent, from, to);

  struct stat status{};

  if (::fstatat(parent, to, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? ESTALE : errno;
  if (!is_unchanged(status, *current))
    return ESTALE;
  return ::renameat(parent, from, parent, to) == 0 ? 0 : errno;
}

// Makes the new name durable. Some file systems cannot: their way of saying so
// is EINVAL.
int sync_directory(int parent) {
  auto fd
    = unique_fd{::openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd)
    return errno == EACCES ? 0 : errno;
  return ::fsync(fd.get()) == 0 || errno == EINVAL ? 0 : errno;
}

} // namespace

int write_atomically(int parent, const std::string& name,
                     std::string_view content,
                     const std::optional<struct stat>& current) {
  // Until it is filled, a replacement is as private as it can be.
  auto temporary = create_temporary(parent, current ? 0600 : 0666);
  if (!temporary.fd)
    return errno;
  auto code = fill(temporary.fd.get(), content, current);
  if (code == 0)
    code = put(parent, temporary.name.c_str(), name.c_str(), current);
  if (code != 0) {
    ::unlinkat(parent, temporary.name.c_str(), 0);
    return code;
  }
  return sync_directory(parent);
}

} // namespace troupe
