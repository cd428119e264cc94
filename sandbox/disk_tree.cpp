#include "troupe/sandbox/disk_tree.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/atomic_file.hpp"
#include "troupe/sandbox/sha256.hpp"

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <vector>

namespace troupe {

namespace {

constexpr auto piece_size = size_t{64} << 10;

// Read, never mapped: a mapped file that is truncated meanwhile would raise
// SIGBUS.
int read_all(int fd, const byte_sink& sink) {
  auto buffer = std::vector<char>(piece_size);
  for (;;) {
    auto count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    auto piece = std::string_view{buffer.data(), static_cast<size_t>(count)};
    if (count == 0 || !sink(piece))
      return 0;
  }
}

entry_kind kind_of(mode_t mode) noexcept {
  if (S_ISREG(mode))
    return entry_kind::file;
  if (S_ISDIR(mode))
    return entry_kind::directory;
  return S_ISLNK(mode) ? entry_kind::link : entry_kind::other;
}

tree_entry describe(int directory, const char* name) {
  struct stat status{};

  // An entry that vanished meanwhile is listed as what it is: unknown.
  if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return {name, entry_kind::other, 0};
  auto kind = kind_of(status.st_mode);
  auto bytes = kind == entry_kind::file ? status.st_size : 0;
  return {name, kind, static_cast<uint64_t>(bytes)};
}

struct split_path {
  std::string parent;
  std::string name;
};

split_path split(const std::string& path) {
  auto slash = path.rfind('/');
  if (slash == std::string::npos)
    return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

} // namespace

disk_tree::disk_tree(int directory, resolution how)
  : directory_(directory),
    how_(how) {
  // nop
}

caf::error disk_tree::read(const tree_path& path, const byte_sink& sink) {
  struct stat status{};

  auto file = open_regular(directory_, how_, path.relative, status);
  auto code = file ? read_all(file.get(), sink) : errno;
  return code == 0 ? caf::error{} : path_error(code, path.spelling);
}

caf::error disk_tree::list(const tree_path& path, const entry_sink& sink) {
  auto fd = open_beneath(directory_, how_, path.relative,
                         O_RDONLY | O_DIRECTORY);
  auto stream = std::unique_ptr<DIR, int (*)(DIR*)>{
    fd ? ::fdopendir(fd.get()) : nullptr, ::closedir};
  if (!stream)
    return path_error(errno, path.spelling);
  auto directory = fd.release();
  for (;;) {
    errno = 0;
    auto* next = ::readdir(stream.get()); // NOLINT(concurrency-mt-unsafe)
    if (next == nullptr)
      return errno == 0 ? caf::error{} : path_error(errno, path.spelling);
    auto name = std::string_view{next->d_name};
    if (name != "." && name != ".." && !sink(describe(directory, next->d_name)))
      return {};
  }
}

caf::expected<write_outcome> disk_tree::write(const tree_path& path,
                                              std::string_view content,
                                              const std::string& known) {
  if (path.relative.empty())
    return path_error(EISDIR, path.spelling);
  auto target = check_target(path, known);
  if (!target)
    return target.error();
  auto [parent_path, name] = split(path.relative);
  auto parent = *target ? open_beneath(directory_, how_, parent_path,
                                       O_PATH | O_DIRECTORY)
                        : make_directories(directory_, parent_path);
  if (!parent)
    return path_error(errno, path.spelling);
  auto code = write_atomically(parent.get(), name, content, *target);
  if (code == EEXIST || code == ESTALE)
    return stale_error(path.spelling);
  if (code != 0)
    return path_error(code, path.spelling);
  return *target ? write_outcome::replaced : write_outcome::created;
}

bool disk_tree::guards_overwrites() const {
  return true;
}

caf::expected<std::optional<struct stat>>
disk_tree::check_target(const tree_path& path, const std::string& known) {
  auto result = std::optional<struct stat>{};

  struct stat status{};

  auto file = open_regular(directory_, how_, path.relative, status);
  if (!file && errno == ENOENT)
    return result;
  if (!file)
    return path_error(errno, path.spelling);
  // A rename would get past the mode.
  if ((status.st_mode & 0222) == 0)
    return make_error(errc::tool, path.spelling + " is write-protected");
  auto sum = sha256{};
  auto code = known.empty() ? 0 : read_all(file.get(), [&](auto piece) {
    sum.update(piece);
    return true;
  });
  if (code != 0)
    return path_error(code, path.spelling);
  auto digest = sum.finish();
  if (!digest)
    return digest.error();
  if (auto failed = check_overwrite(path.spelling, known, *digest))
    return failed;
  result = status;
  return result;
}

} // namespace troupe
