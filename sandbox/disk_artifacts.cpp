#include "troupe/config/errc.hpp"
#include "troupe/sandbox/artifact_store.hpp"
#include "troupe/sandbox/owner_record.hpp"
#include "troupe/sandbox/remove_tree.hpp"
#include "troupe/sandbox/scoped_open.hpp"
#include "troupe/sandbox/unique_fd.hpp"
#include "troupe/sandbox/write_all.hpp"

#include <dirent.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace {

constexpr auto folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

void remove_folder(int parent, const std::string& name) {
  auto folder = unique_fd{::openat(parent, name.c_str(), folder_flags)};
  if (folder)
    remove_contents(folder.get());
  ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

// 0 or the errno value.
int write_file(int folder, const artifact_file& file) {
  auto to = unique_fd{
    ::openat(folder, file.name.c_str(),
             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!to)
    return errno;
  if (auto code = write_all(to.get(), file.content))
    return code;
  return ::fsync(to.get()) == 0 ? 0 : errno;
}

int fill(int parent, const std::string& name,
         const std::vector<artifact_file>& files) {
  if (::mkdirat(parent, name.c_str(), 0700) != 0)
    return errno;
  auto folder = unique_fd{::openat(parent, name.c_str(), folder_flags)};
  if (!folder)
    return errno;
  for (const auto& one : files)
    if (auto code = write_file(folder.get(), one))
      return code;
  return ::fsync(folder.get()) == 0 ? 0 : errno;
}

// Folders that are not finished have the name of their owner.
void sweep(int parent) {
  auto names = std::vector<std::string>{};
  auto close = [](DIR* x) { ::closedir(x); };
  auto fd = unique_fd{::openat(parent, ".", folder_flags)};
  auto entries = std::unique_ptr<DIR, decltype(close)>{
    fd ? ::fdopendir(fd.get()) : nullptr, close};
  if (!entries)
    return;
  static_cast<void>(fd.release());
  while (const auto* entry = ::readdir(entries.get()))
    if (is_left_behind(entry->d_name))
      names.emplace_back(entry->d_name);
  for (const auto& name : names)
    remove_folder(parent, name);
}

class disk_artifacts : public artifact_place {
public:
  explicit disk_artifacts(int directory) : directory_(directory) {
    // nop
  }

  // The folder is made under another name, and is there with its own at once.
  caf::error put(const std::string& folder,
                 const std::vector<artifact_file>& files) override {
    if (!std::exchange(is_swept_, true))
      sweep(directory_);
    auto unfinished = make_owned_name();
    auto code = fill(directory_, unfinished, files);
    if (code == 0
        && ::renameat2(directory_, unfinished.c_str(), directory_,
                       folder.c_str(), RENAME_NOREPLACE)
             != 0)
      code = errno;
    if (code == 0)
      return sync();
    remove_folder(directory_, unfinished);
    return failed(code);
  }

private:
  caf::error sync() const {
    auto fd = unique_fd{::openat(directory_, ".", folder_flags)};
    return fd && ::fsync(fd.get()) != 0 && errno != EINVAL ? failed(errno)
                                                           : caf::error{};
  }

  static caf::error failed(int code) {
    return make_error(code == EEXIST ? errc::tool : errc::sandbox,
                      "cannot store artifacts: "
                        + std::generic_category().message(code),
                      "workspace.paths.artifacts");
  }

  int directory_;
  bool is_swept_ = false;
};

} // namespace

std::unique_ptr<artifact_place> make_disk_artifacts(int directory) {
  return std::make_unique<disk_artifacts>(directory);
}

} // namespace troupe
