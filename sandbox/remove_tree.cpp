#include "troupe/sandbox/remove_tree.hpp"

#include "troupe/sandbox/unique_fd.hpp"

#include <dirent.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>

namespace troupe {

namespace {

using directory_stream = std::unique_ptr<DIR, int (*)(DIR*)>;

directory_stream open_stream(int directory, const char* name) {
  auto fd = unique_fd{
    ::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  auto* stream = fd ? ::fdopendir(fd.get()) : nullptr;
  if (stream != nullptr)
    fd.release();
  return {stream, ::closedir};
}

// The next name but "." and "..", or null at the end. Not readdir_r: one
// stream is used by one thread.
const char* next_name(DIR* stream) {
  while (auto* entry = ::readdir(stream)) { // NOLINT(concurrency-mt-unsafe)
    auto name = std::string_view{entry->d_name};
    if (name != "." && name != "..")
      return entry->d_name;
  }
  return nullptr;
}

// Gives the owner what he needs to empty a directory. By way of a descriptor,
// for chmod itself follows links; /proc, for fchmod refuses O_PATH.
void unlock(int parent, const char* name) {
  auto fd = unique_fd{
    ::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (fd)
    ::chmod(("/proc/self/fd/" + std::to_string(fd.get())).c_str(), 0700);
}

/// Deep trees are flattened instead of walked: a directory that is not empty
/// has its own such directories moved up into the root, where a later round
/// meets them. So neither depth costs memory or descriptors, nor does ".."
/// (which an attacker can redirect) take part.
class tree_remover {
public:
  explicit tree_remover(int root) : root_(root) {
    // nop
  }

  int run() {
    do {
      failure_ = 0;
      removed_ = 0;
      left_ = 0;
      sweep_root();
    } while (left_ > 0 && removed_ > 0);
    return left_ > 0 ? failure_ : 0;
  }

private:
  void sweep_root() {
    auto stream = open_stream(root_, ".");
    if (!stream)
      return blame(errno);
    auto root = ::dirfd(stream.get());
    while (const auto* name = next_name(stream.get()))
      if (remove_plain(root, name) == ENOTEMPTY)
        remove_full(root, name);
  }

  // Removes what can go at once; ENOTEMPTY: a directory with something in it.
  int remove_plain(int parent, const char* name) {
    auto code = ::unlinkat(parent, name, 0) == 0 ? 0 : errno;
    if (code == EISDIR || code == EPERM)
      code = ::unlinkat(parent, name, AT_REMOVEDIR) == 0 ? 0 : errno;
    if (code == EEXIST)
      code = ENOTEMPTY;
    if (code == 0)
      ++removed_;
    else if (code != ENOTEMPTY && code != ENOENT)
      blame(code);
    return code;
  }

  void remove_full(int root, const char* name) {
    auto stream = open_stream(root, name);
    if (!stream && errno == EACCES) {
      unlock(root, name);
      stream = open_stream(root, name);
    }
    if (!stream)
      return blame(errno);
    auto folder = ::dirfd(stream.get());
    if (folder < 0)
      return blame(errno);
    // Write permission may be what is missing.
    ::fchmod(folder, 0700);
    while (const auto* child = next_name(stream.get()))
      if (remove_plain(folder, child) == ENOTEMPTY)
        hoist(folder, child, root);
    remove_plain(root, name);
  }

  void hoist(int parent, const char* name, int root) {
    auto code = move_up(parent, name, root);
    if (code == EACCES) {
      // Moving a directory writes its "..".
      unlock(parent, name);
      code = move_up(parent, name, root);
    }
    if (code != 0)
      return blame(code);
    ++left_;
    ++removed_;
  }

  // Under a name that is free; one that only looks like ours may stand there.
  int move_up(int parent, const char* name, int root) {
    auto code = 0;
    do {
      auto moved = ".troupe-removed-" + std::to_string(hoisted_++);
      code = ::renameat(parent, name, root, moved.c_str()) == 0 ? 0 : errno;
    } while (code == ENOTEMPTY || code == EEXIST || code == ENOTDIR);
    return code;
  }

  void blame(int code) {
    ++left_;
    if (failure_ == 0)
      failure_ = code;
  }

  int root_;
  int failure_ = 0;
  // Of one round: what went, and what is known to be still there.
  uint64_t removed_ = 0;
  uint64_t left_ = 0;
  uint64_t hoisted_ = 0;
};

} // namespace

int remove_contents(int directory) {
  return tree_remover{directory}.run();
}

} // namespace troupe
