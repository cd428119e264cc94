#include "troupe/storage/lmdb_error.hpp"

#include "troupe/config/errc.hpp"

#include <lmdb.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

constexpr auto restore = "restore the store from a backup";

// What `code` means to somebody who never heard of LMDB; empty where its own
// text does well enough.
std::string_view meaning(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "no room is left on the disk";
    case MDB_INVALID:
      return "the file is not a store";
    case MDB_VERSION_MISMATCH:
      return "the store was written by another version of LMDB";
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_PANIC:
      return "the store is damaged";
    case MDB_MAP_FULL:
      return "the store is full";
    case MDB_READERS_FULL:
      return "too many readers have the store open";
    case MDB_TXN_FULL:
      return "too much for one transaction";
    default:
      return {};
  }
}

std::string_view advice(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space and try again; what is stored is safe";
    case EACCES:
    case EPERM:
    case EROFS:
      return "check who owns the folder, or choose another with --store DIR";
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOENT:
    case ENOTDIR:
      return "choose another folder with --store DIR";
    case ENOMEM:
      return "lower storage.map_size, or raise the limit on address space";
    case MDB_INVALID:
      return "choose another folder with --store DIR";
    case MDB_VERSION_MISMATCH:
      return "open it with the troupe that wrote it";
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_PANIC:
      return restore;
    case MDB_MAP_FULL:
      return "delete sessions, or raise storage.map_size";
    case MDB_READERS_FULL:
      return "end some of the programs that use the store";
    case MDB_TXN_FULL:
      return "append less at once";
    default:
      return {};
  }
}

std::string text(int code) {
  if (auto known = meaning(code); !known.empty())
    return std::string{known};
  if (code > 0)
    return std::generic_category().message(code);
  return mdb_strerror(code);
}

} // namespace

caf::error lmdb_error(int code, std::string_view doing) {
  auto message = std::string{doing} + ": " + text(code);
  return make_error(errc::storage, std::move(message), {},
                    std::string{advice(code)});
}

caf::error add_where(const caf::error& why, std::string_view where) {
  auto what = to_fault(why);
  if (what.where.empty())
    what.where = where;
  return make_error(std::move(what));
}

} // namespace troupe
