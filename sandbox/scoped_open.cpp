#include "troupe/sandbox/scoped_open.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <cerrno>
#include <string_view>
#include <system_error>

#include <linux/openat2.h>
#include <sys/syscall.h>

namespace troupe {

namespace {

unique_fd fail(int code) noexcept {
  errno = code;
  return unique_fd{};
}

unique_fd call_openat2(int directory, const char* path, int flags) noexcept {
  auto how = open_how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: a rename anywhere raced with the walk, so the kernel cannot tell
  // that it stayed beneath. Bounded, for somebody may rename on purpose.
  for (auto attempt = 0; attempt < 64; ++attempt) {
    auto fd = ::syscall(SYS_openat2, directory, path, &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
      return unique_fd{static_cast<int>(fd)};
  }
  return unique_fd{};
}

bool is_link(int directory, const char* name) noexcept {
  struct stat status{};

  return ::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0
         && S_ISLNK(status.st_mode);
}

// One part of a path. The kernel answers ENOTDIR for a link where a directory
// was asked for, and opens the link itself with O_PATH: both become ELOOP.
unique_fd open_part(int directory, const std::string& name, int flags) {
  if (name == "..")
    return fail(EXDEV);
  auto fd = unique_fd{
    ::openat(directory, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC)};
  if (!fd) {
    auto code = errno;
    auto blamed = code == ENOTDIR && is_link(directory, name.c_str());
    return fail(blamed ? ELOOP : code);
  }

  struct stat status{};

  if (::fstat(fd.get(), &status) != 0)
    return fail(errno);
  return S_ISLNK(status.st_mode) ? fail(ELOOP) : std::move(fd);
}

// Walks to the directory of the last part. `enter` opens one part.
template <class Enter>
unique_fd descend(int directory, std::string_view path, Enter enter) {
  auto current = unique_fd{::openat(directory, ".", O_PATH | O_CLOEXEC)};
  while (current && !path.empty()) {
    auto end = std::min(path.find('/'), path.size());
    current = enter(current.get(), std::string{path.substr(0, end)});
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return current;
}

unique_fd open_stepwise(int directory, const std::string& path, int flags) {
  if (path.empty())
    return unique_fd{::openat(directory, ".", flags | O_CLOEXEC)};
  auto slash = path.rfind('/');
  auto has_parent = slash != std::string::npos;
  auto parent = descend(directory, path.substr(0, has_parent ? slash : 0),
                        [](int at, const std::string& name) {
                          return open_part(at, name, O_PATH | O_DIRECTORY);
                        });
  if (!parent)
    return parent;
  return open_part(parent.get(), path.substr(has_parent ? slash + 1 : 0),
                   flags);
}

// Why a thing that is no regular file with one link is refused, or 0.
int refusal(const struct stat& status) noexcept {
  if (S_ISDIR(status.st_mode))
    return EISDIR;
  if (!S_ISREG(status.st_mode))
    return ENODEV;
  return status.st_nlink > 1 ? EMLINK : 0;
}

} // namespace

resolution probe_resolution() noexcept {
  return call_openat2(AT_FDCWD, ".", O_PATH | O_CLOEXEC) ? resolution::openat2
                                                         : resolution::stepwise;
}

unique_fd open_beneath(int directory, resolution how, const std::string& path,
                       int flags) {
  if (how == resolution::stepwise)
    return open_stepwise(directory, path, flags);
  return call_openat2(directory, path.empty() ? "." : path.c_str(),
                      flags | O_CLOEXEC);
}

unique_fd open_regular(int directory, resolution how, const std::string& path,
                       struct stat& status) {
  // O_PATH first: opening a device for reading can already act on it.
  auto found = open_beneath(directory, how, path, O_PATH);
  if (!found || ::fstat(found.get(), &status) != 0)
    return unique_fd{};
  if (auto code = refusal(status))
    return fail(code);
  auto file = open_beneath(directory, how, path,
                           O_RDONLY | O_NONBLOCK | O_NOCTTY);

  struct stat opened{};

  if (!file || ::fstat(file.get(), &opened) != 0)
    return unique_fd{};
  if (opened.st_dev != status.st_dev || opened.st_ino != status.st_ino)
    return fail(ESTALE);
  status = opened;
  return file;
}

unique_fd make_directories(int directory, const std::string& path,
                           mode_t mode) {
  return descend(directory, path, [mode](int at, const std::string& name) {
    if (name == "..")
      return fail(EXDEV);
    if (::mkdirat(at, name.c_str(), mode) != 0 && errno != EEXIST)
      return unique_fd{};
    return open_part(at, name, O_PATH | O_DIRECTORY);
  });
}

caf::error path_error(int code, const std::string& path) {
  auto sentence = [&](const std::string& text) {
    return make_error(errc::tool, in_quotes(path) + text);
  };
  switch (code) {
    case ENOENT:
      return sentence(" does not exist");
    case ELOOP:
      return sentence(" leads through a symbolic link, which is not followed");
    case EXDEV:
      return sentence(" leaves the workspace");
    case ENOTDIR:
      return sentence(" is not a directory, or leads through a file");
    case EISDIR:
      return sentence(" is a directory");
    case ENODEV:
    case ENXIO:
      return sentence(" is not a regular file");
    case EMLINK:
      return sentence(" has several hard links, so it may belong to a place "
                      "outside the workspace: not opened");
    case ESTALE:
      return sentence(" was replaced while it was opened: try again");
    case EACCES:
    case EPERM:
      return sentence(" is not permitted by the operating system");
    case ENAMETOOLONG:
      return sentence(" is too long for a path");
    default:
      return sentence(": " + std::generic_category().message(code));
  }
}

} // namespace troupe
