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

// LMDB's header, as 64-bit machines write it: two of these, in pages 0 and 1,
// of which the one with the higher transaction number counts.
constexpr size_t meta_size = 152;
constexpr size_t flags_at = 10;
constexpr size_t magic_at = 16;
constexpr size_t version_at = 20;
constexpr size_t page_size_at = 40;
constexpr size_t last_page_at = 136;
constexpr size_t transaction_at = 144;
constexpr uint16_t meta_flag = 8;
constexpr uint32_t magic = 0xBEEFC0DE;
constexpr uint32_t known_version = 1;

static_assert(sizeof(size_t) == 8, "the layout above is that of 64 bits");

using meta_bytes = std::array<char, meta_size>;

template <class T>
T field(const meta_bytes& meta, size_t offset) {
  auto result = T{};
  std::memcpy(&result, meta.data() + offset, sizeof(result));
  return result;
}

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
  static_cast<void>(fsync(handle.get()));
}

fs::path parent_of(const fs::path& folder) {
  auto absolute = fs::absolute(folder).lexically_normal();
  // "a/b/" names b, and its parent_path would be "a/b".
  if (!absolute.has_filename())
    absolute = absolute.parent_path();
  return absolute.parent_path();
}

caf::error make_folder(const fs::path& folder) {
  auto code = std::error_code{};
  auto parent = parent_of(folder);
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

// LMDB follows links and resizes whatever it finds as its lock file: a folder
// that came with somebody's files must not lead it elsewhere.
caf::error check_lock_file(const fs::path& path) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode))
    return {};
  return make_error(errc::storage, "the lock file is not a regular file",
                    path.string(), "remove it while nobody has the store open");
}

} // namespace

store_file::store_file(file_handle handle, fs::path path)
  : handle_(std::move(handle)),
    path_(std::move(path)) {
  // nop
}

caf::expected<store_file> store_file::open(const fs::path& folder) {
  if (auto why = make_folder(folder))
    return why;
  auto path = folder / "store.mdb";
  if (auto why = check_lock_file(path.string() + "-lock"))
    return why;
  // Not blocking, in case it is a pipe.
  auto flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  auto handle = file_handle{::open(path.c_str(), flags, 0600)};
  if (handle.get() < 0)
    return io_error(errno, "cannot open the store", path);
  auto result = store_file{std::move(handle), std::move(path)};
  if (auto why = result.check_kind())
    return why;
  if (auto why = result.lock_process())
    return why;
  auto size = result.size();
  if (size && *size == 0)
    sync_folder(folder);
  return result;
}

caf::error store_file::check_kind() const {
  struct stat info = {};
  if (fstat(handle_.get(), &info) != 0)
    return fail(errno, "cannot open the store");
  if (S_ISREG(info.st_mode))
    return {};
  return make_error(errc::storage, "the store is not a regular file",
                    path_.string(), "choose another folder with --store DIR");
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

caf::error store_file::lock_opening() {
  if (auto code = set_lock(handle_.get(), F_OFD_SETLKW, F_WRLCK, opening_byte))
    return fail(code, "cannot lock the store");
  return {};
}

void store_file::unlock_opening() {
  set_lock(handle_.get(), F_OFD_SETLK, F_UNLCK, opening_byte);
}

caf::error store_file::read_meta(uint64_t offset, char* out) const {
  auto done = size_t{0};
  while (done < meta_size) {
    auto count = pread(handle_.get(), out + done, meta_size - done,
                       static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(errno, "cannot read the store");
    if (count == 0)
      return make_error(errc::storage, "the store is cut short", path_.string(),
                        "restore it from a backup, or remove it if it is new");
    done += static_cast<size_t>(count);
  }
  return {};
}

caf::expected<store_header> store_file::read_header() const {
  auto bytes = size();
  if (!bytes)
    return bytes.error();
  auto result = store_header{};
  if (*bytes == 0)
    return result;
  auto newest = uint64_t{0};
  for (auto offset = uint64_t{0}, i = uint64_t{0}; i < 2; ++i) {
    auto meta = meta_bytes{};
    if (auto why = read_meta(offset, meta.data()))
      return why;
    if (field<uint32_t>(meta, magic_at) != magic
        || (field<uint16_t>(meta, flags_at) & meta_flag) == 0)
      return make_error(errc::storage, "the file is not a store",
                        path_.string(),
                        "choose another folder with --store DIR");
    if (auto version = field<uint32_t>(meta, version_at);
        version != known_version)
      return make_error(errc::storage,
                        "the store has LMDB's format " + std::to_string(version)
                          + ", this troupe reads "
                          + std::to_string(known_version),
                        path_.string(),
                        "open it with the troupe that wrote it");
    offset = field<uint32_t>(meta, page_size_at);
    // LMDB divides by it.
    if (offset < 256 || offset > 65536 || (offset & (offset - 1)) != 0)
      return make_error(errc::storage, "the store's header is damaged",
                        path_.string(), "restore the store from a backup");
    if (auto number = field<uint64_t>(meta, transaction_at);
        i == 0 || number > newest) {
      newest = number;
      result = {offset, field<uint64_t>(meta, last_page_at)};
    }
  }
  return result;
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
