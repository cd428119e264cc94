#pragma once

#include "troupe/storage/file_handle.hpp"
#include "troupe/storage/store_header.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <filesystem>

namespace troupe {

/// The file of a store as the operating system sees it: made, locked and
/// looked over before LMDB maps it, since LMDB trusts what it maps. Used by
/// one thread at a time.
///
/// Two locks lie on it, both gone with the process that holds them. A process
/// that has the store open holds one on the byte of its process id: LMDB
/// breaks when one process opens a file twice, and the kernel is the one
/// registry that all parts of a process share without a global. And whoever
/// opens the store holds byte 0 meanwhile, so that nobody looks at a header
/// that is half written. They are locks of an open file description, so that
/// they also meet within a process and do not go when another descriptor of
/// the file is closed.
class store_file {
public:
  /// Opens `folder`/store.mdb, both made when missing and then for their owner
  /// only, and takes the lock of this process. Fails where this process has it
  /// open already, where it is not a regular file, and where it cannot be
  /// written.
  static caf::expected<store_file> open(const std::filesystem::path& folder);

  /// Makes LMDB's lock file where it is missing. LMDB would make one without
  /// disk space behind it, and a disk that is full would end the process when
  /// the first lock is taken. Only while opening.
  caf::error make_lock_file();

  /// Waits until nobody else is opening the store, and keeps others from it.
  caf::error lock_opening();
  void unlock_opening();

  /// The header that counts. An error that says what is wrong where the file
  /// is not a store, is of another version, or far too short for its header.
  caf::expected<store_header> read_header() const;

  /// The error for a file that lacks pages it had.
  caf::error cut_short() const;

  /// An error unless `fd`, which somebody opened by the path, is this file:
  /// it may have been replaced, and what was checked and locked is another.
  caf::error check_same(int fd) const;

  /// In bytes.
  caf::expected<uint64_t> size() const;
  caf::error resize(uint64_t bytes);

  /// By how many bytes the file may still grow, as the file system and the
  /// limits of this process have it.
  uint64_t room() const;

  const std::filesystem::path& path() const noexcept {
    return path_;
  }

private:
  store_file(file_handle handle, std::filesystem::path path);

  caf::error lock_process();
  caf::expected<store_header> read_header(uint64_t offset) const;
  caf::error fail(int code, const char* doing) const;

  file_handle handle_;
  std::filesystem::path path_;
};

} // namespace troupe
