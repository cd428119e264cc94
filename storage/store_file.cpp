#include "troupe/storage/store_file.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/storage/lmdb_error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

// A file may be shorter than its header says, but only by what its last
// transaction took and gave back, which is never written.
constexpr uint64_t most_missing_pages = 1 << 20;

// Room for somewhat over a thousand readers. LMDB takes what it finds.
constexpr size_t lock_file_size = 72 << 10;

// Where the locks lie; LMDB has none on this file.
constexpr off_t opening_byte = 0;

int set_lock(int fd, int command, short type, off_t byte) {
  auto request = flock{};
  request.l_type = type;
  request.l_whence = SEEK_SET;
  request.l_start = byte;
  request.l_len = 1;
  for (;;) {
    if (fcntl(fd, command, &request) == 0)
      return 0;
    if (errno != EINTR)
      return errno;
  }
}

caf::error io_error(int code, const std::string& doing, const fs::path& path) {
  return add_where(lmdb_error(code, doing), path.string());
}

// Makes a new name in `folder` survive a power failure.
void sync_folder(const fs::path& folder) {
  auto handle
    = file_handle{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  // Not every file system can, and the store works without.
  if (handle.get() >= 0)
    static_cast<void>(fsync(handle.get()));
}

caf::error make_folder(const fs::path& folder) {
  auto code = std::error_code{};
  auto parent = folder.parent_path();
  fs::create_directories(parent, code);
  if (code)
    return io_error(code.value(), "cannot make the folder", parent);
  if (mkdir(folder.c_str(), 0700) == 0) {
    sync_folder(parent);
    return {};
  }
  if (errno != EEXIST)
    return io_error(errno, "cannot make the folder", folder);
  return {};
}

// `folder` with a root and without a slash at its end, so that its parent is
// the folder it is in.
caf::expected<fs::path> normalize(const fs::path& folder) {
  if (folder.empty())
    return make_error(errc::configuration, "the store has no path",
                      "storage.path", "name a folder");
  auto code = std::error_code{};
  auto result = fs::absolute(folder, code);
  if (code)
    return io_error(code.value(), "cannot find the working directory", folder);
  return result.has_filename() ? result : result.parent_path();
}

// Opens or makes a file for its owner only. The folder may have come with
// somebody's files: a link in it must not lead elsewhere, a pipe not block.
caf::expected<file_handle> open_regular(const fs::path& path) {
  auto flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  auto result = file_handle{::open(path.c_str(), flags, 0600)};
  struct stat info = {};
  if (result.get() < 0 || fstat(result.get(), &info) != 0)
    return io_error(errno, "cannot open the store", path);
  if (!S_ISREG(info.st_mode))
    return make_error(errc::storage, "the store is not a regular file",
                      path.string(), "choose another folder with --store DIR");
  return result;
}

} // namespace

store_file::store_file(file_handle handle, fs::path path)
  : handle_(std::move(handle)),
    path_(std::move(path)) {
  // nop
}

caf::expected<store_file> store_file::open(const fs::path& folder) {
  auto whole = normalize(folder);
  if (!whole)
    return whole.error();
  if (auto why = make_folder(*whole))
    return why;
  auto path = *whole / "store.mdb";
  auto handle = open_regular(path);
  if (!handle)
    return handle.error();
  auto result = store_file{std::move(*handle), std::move(path)};
  if (auto why = result.lock_process())
    return why;
  auto size = result.size();
  if (size && *size == 0)
    sync_folder(*whole);
  return result;
}

caf::error store_file::lock_process() {
  auto code = set_lock(handle_.get(), F_OFD_SETLK, F_WRLCK, getpid());
  if (code == 0)
    return {};
  if (code == EAGAIN || code == EACCES)
    return make_error(errc::storage, "this process has the store open already",
                      path_.string(), "open it once and share it");
  return fail(code, "cannot lock the store");
}

caf::error store_file::make_lock_file() {
  auto path = fs::path{path_.string() + "-lock"};
  auto handle = open_regular(path);
  if (!handle)
    return handle.error();
  struct stat info = {};
  if (fstat(handle->get(), &info) != 0)
    return io_error(errno, "cannot open the store", path);
  if (info.st_size != 0)
    return {};
  auto zeros = std::string(lock_file_size, '\0');
  auto count = write(handle->get(), zeros.data(), zeros.size());
  if (count == static_cast<ssize_t>(zeros.size()))
    return {};
  return io_error(count < 0 ? errno : ENOSPC, "cannot make the lock file",
                  path);
}

caf::error store_file::lock_opening() {
  if (auto code = set_lock(handle_.get(), F_OFD_SETLKW, F_WRLCK, opening_byte))
    return fail(code, "cannot lock the store");
  return {};
}

void store_file::unlock_opening() {
  set_lock(handle_.get(), F_OFD_SETLK, F_UNLCK, opening_byte);
}

caf::expected<store_header> store_file::read_header(uint64_t offset) const {
  auto page = std::array<char, header_bytes>{};
  for (auto done = size_t{0}; done < page.size();) {
    auto count = pread(handle_.get(), page.data() + done, page.size() - done,
                       static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(errno, "cannot read the store");
    if (count == 0)
      return cut_short();
    done += static_cast<size_t>(count);
  }
  auto result = parse_header(page);
  if (!result)
    return add_where(result.error(), path_.string());
  return result;
}

caf::expected<store_header> store_file::read_header() const {
  auto bytes = size();
  if (!bytes)
    return bytes.error();
  if (*bytes == 0)
    return store_header{};
  auto first = read_header(0);
  if (!first)
    return first;
  auto second = read_header(first->page_size);
  if (!second)
    return second;
  auto result = second->transaction > first->transaction ? *second : *first;
  // Asked again, after the headers: the file grows before these promise it.
  bytes = size();
  if (!bytes)
    return bytes.error();
  if (result.last_page > *bytes / result.page_size + most_missing_pages)
    return cut_short();
  return result;
}

caf::error store_file::check_same(int fd) const {
  struct stat ours = {};
  struct stat theirs = {};
  if (fstat(handle_.get(), &ours) != 0 || fstat(fd, &theirs) != 0)
    return fail(errno, "cannot open the store");
  if (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
    return {};
  return make_error(errc::storage, "the store was replaced while it was open",
                    path_.string(), "start again");
}

caf::error store_file::cut_short() const {
  return make_error(errc::storage, "the store is cut short", path_.string(),
                    "restore it from a backup, or remove it if it is new");
}

caf::expected<uint64_t> store_file::size() const {
  struct stat info = {};
  if (fstat(handle_.get(), &info) != 0)
    return fail(errno, "cannot read the store");
  return static_cast<uint64_t>(info.st_size);
}

caf::error store_file::resize(uint64_t bytes) {
  if (ftruncate(handle_.get(), static_cast<off_t>(bytes)) != 0)
    return fail(errno, "cannot resize the store");
  return {};
}

uint64_t store_file::room() const {
  auto result = std::numeric_limits<uint64_t>::max();
  struct statvfs disk = {};
  if (fstatvfs(handle_.get(), &disk) == 0)
    result = uint64_t{disk.f_bavail} * disk.f_frsize;
  auto limit = rlimit{};
  auto used = size();
  if (used && getrlimit(RLIMIT_FSIZE, &limit) == 0
      && limit.rlim_cur != RLIM_INFINITY)
    result = std::min<uint64_t>(result, limit.rlim_cur
                                          - std::min(limit.rlim_cur, *used));
  return result;
}

caf::error store_file::fail(int code, const char* doing) const {
  return io_error(code, doing, path_);
}

} // namespace troupe
