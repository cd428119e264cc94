#include "troupe/sandbox/temporary_folder.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/owner_record.hpp"
#include "troupe/sandbox/remove_tree.hpp"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

/// A folder and what it was when it was made; zeros: that is not known yet.
struct folder_record {
  uint64_t device = 0;
  uint64_t inode = 0;
  std::string path;
};

// A record is a symbolic link to "DEVICE:INODE:PATH": it is made, read and
// replaced in one piece.
std::string text_of(const folder_record& x) {
  return std::to_string(x.device) + ":" + std::to_string(x.inode) + ":"
         + x.path;
}

std::optional<folder_record> read_record(const fs::path& record) {
  auto failed = std::error_code{};
  auto text = fs::read_symlink(record, failed).string();
  const auto* end = text.data() + text.size();
  auto result = folder_record{};
  auto device = std::from_chars(text.data(), end, result.device);
  if (failed || device.ec != std::errc{} || device.ptr == end
      || *device.ptr != ':')
    return std::nullopt;
  auto inode = std::from_chars(device.ptr + 1, end, result.inode);
  if (inode.ec != std::errc{} || inode.ptr == end || *inode.ptr != ':')
    return std::nullopt;
  result.path.assign(inode.ptr + 1, end);
  return result;
}

constexpr auto unfinished = std::string_view{".new"};

bool write_record(const std::string& record, const folder_record& what) {
  auto beside = record + std::string{unfinished};
  return ::symlink(text_of(what).c_str(), beside.c_str()) == 0
         && ::rename(beside.c_str(), record.c_str()) == 0;
}

unique_fd open_folder(const std::string& path) {
  return unique_fd{
    ::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
}

bool is_same(const struct stat& x, const struct stat& y) {
  return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// 0, or the errno value of what kept it.
int remove_folder(int directory, const std::string& path) {
  auto code = remove_contents(directory);

  struct stat opened{};

  struct stat named{};

  if (code == 0
      && (::fstat(directory, &opened) != 0 || ::lstat(path.c_str(), &named) != 0
          || !is_same(opened, named)))
    code = ESTALE;
  if (code == 0 && ::rmdir(path.c_str()) != 0)
    code = errno;
  return code;
}

// Whether nothing of it is left. What was put in its place is not ours.
bool remove_left(const folder_record& what) {
  auto directory = open_folder(what.path);

  struct stat found{};

  if (!directory || ::fstat(directory.get(), &found) != 0)
    return errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
  if (what.inode == 0) { // it can have nothing in it
    ::rmdir(what.path.c_str());
    return true;
  }
  auto is_ours = found.st_dev == what.device && found.st_ino == what.inode
                 && found.st_uid == ::geteuid();
  return !is_ours || remove_folder(directory.get(), what.path) == 0;
}

void sweep_folders(const std::string& records) {
  auto failed = std::error_code{};
  auto found = std::vector<fs::path>{};
  for (const auto& entry : fs::directory_iterator{records, failed}) {
    auto name = entry.path().filename().string();
    if (name.ends_with(unfinished))
      name.resize(name.size() - unfinished.size());
    if (is_left_behind(name))
      found.push_back(entry.path());
  }
  for (const auto& one : found) {
    auto what = read_record(one);
    if (!what || remove_left(*what))
      fs::remove(one, failed);
  }
}

caf::error cannot_make(const std::string& where, int code) {
  return make_error(errc::sandbox,
                    "cannot create a temporary folder: "
                      + std::generic_category().message(code),
                    where, "set TMPDIR to a directory you can write to");
}

} // namespace

caf::expected<temporary_folder> temporary_folder::make() {
  auto failed = std::error_code{};
  auto base = fs::canonical(fs::temp_directory_path(failed), failed);
  if (failed)
    return cannot_make("TMPDIR", failed.value());
  auto name = make_owned_name();
  auto result = temporary_folder{};
  result.path_ = (base / name).string();
  auto records = owner_record_folder("folders");
  if (!records.empty()) {
    sweep_folders(records);
    result.record_ = records + "/" + name;
    if (!write_record(result.record_, {0, 0, result.path_}))
      result.record_.clear();
  }

  struct stat made{};

  auto is_made = ::mkdir(result.path_.c_str(), 0700) == 0;
  if (is_made)
    result.directory_ = open_folder(result.path_);
  if (!result.directory_ || ::fstat(result.directory_.get(), &made) != 0) {
    auto code = errno;
    if (!result.record_.empty())
      ::unlink(result.record_.c_str());
    return cannot_make(result.path_, code);
  }
  if (!result.record_.empty())
    write_record(result.record_, {made.st_dev, made.st_ino, result.path_});
  return result;
}

temporary_folder::~temporary_folder() {
  remove();
}

caf::error temporary_folder::remove() {
  if (!directory_)
    return {};
  auto code = remove_folder(directory_.get(), path_);
  directory_.reset();
  if (code != 0) // the record stays for the next to try
    return make_error(errc::sandbox,
                      "cannot remove a temporary folder: "
                        + std::generic_category().message(code),
                      path_, "remove it by hand");
  if (!record_.empty())
    ::unlink(record_.c_str());
  return {};
}

} // namespace troupe
