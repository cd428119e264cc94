#include "troupe/storage/lmdb_txn.hpp"

#include "troupe/storage/lmdb_error.hpp"

#include <lmdb.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace troupe {

namespace {

// The names are on disk: never change them.
constexpr auto table_names = std::array<const char*, table_count>{
  "meta",    "sessions", "records",    "blobs",       "blob_uses",
  "logs",    "forks",    "runs",       "run_details", "run_status",
  "run_due", "events",   "run_values", "artifacts"};

// LMDB's own table of unused pages, and the one that names all others.
constexpr MDB_dbi free_pages = 0;

constexpr auto cannot_read = std::string_view{"cannot read the store"};
constexpr auto cannot_write = std::string_view{"cannot write to the store"};

// LMDB takes keys and values as pointers to non-const but does not touch them.
MDB_val to_val(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};
}

std::string_view to_view(const MDB_val& val) {
  return {static_cast<const char*>(val.mv_data), val.mv_size};
}

struct close_cursor {
  void operator()(MDB_cursor* cursor) const noexcept {
    mdb_cursor_close(cursor);
  }
};

using cursor_ptr = std::unique_ptr<MDB_cursor, close_cursor>;

// Clears from `used`, which stands for pages `first` and up, those that `list`
// names: a count, then that many page numbers.
void clear_listed(std::vector<bool>& used, uint64_t first,
                  std::string_view list) {
  for (size_t at = sizeof(size_t); at + sizeof(size_t) <= list.size();
       at += sizeof(size_t)) {
    auto page = size_t{0};
    std::memcpy(&page, list.data() + at, sizeof(page));
    if (page >= first && page - first < used.size())
      used[page - first] = false;
  }
}

} // namespace

void lmdb_txn::abort_txn::operator()(MDB_txn* handle) const noexcept {
  mdb_txn_abort(handle);
}

lmdb_txn::lmdb_txn(MDB_txn* handle, table_handles& tables)
  : handle_(handle),
    tables_(&tables) {
  // nop
}

lmdb_txn::~lmdb_txn() {
  // nop
}

caf::error lmdb_txn::commit() {
  if (auto code = mdb_txn_commit(handle_.release()))
    return fail(code, cannot_write);
  return {};
}

caf::expected<uint64_t> lmdb_txn::count_tables() {
  auto names = MDB_dbi{0};
  if (auto code = mdb_dbi_open(handle_.get(), nullptr, 0, &names))
    return fail(code, cannot_read);
  auto stat = MDB_stat{};
  if (auto code = mdb_stat(handle_.get(), names, &stat))
    return fail(code, cannot_read);
  return stat.ms_entries;
}

caf::expected<bool> lmdb_txn::open_table(table_id table, unsigned flags) {
  auto index = static_cast<size_t>(table);
  auto handle = MDB_dbi{0};
  auto code = mdb_dbi_open(handle_.get(), table_names[index], flags, &handle);
  if (code == MDB_NOTFOUND)
    return false;
  if (code != 0)
    return fail(code, cannot_read);
  (*tables_)[index] = handle;
  return true;
}

caf::expected<bool> lmdb_txn::open_table(table_id table) {
  return open_table(table, 0);
}

caf::error lmdb_txn::create_table(table_id table) {
  auto opened = open_table(table, MDB_CREATE);
  return opened ? caf::error{} : opened.error();
}

caf::expected<std::optional<std::string_view>>
lmdb_txn::get(table_id table, std::string_view key) {
  auto in = to_val(key);
  auto out = MDB_val{};
  auto code = mdb_get(handle_.get(), handle_of(table), &in, &out);
  if (code == MDB_NOTFOUND)
    return std::optional<std::string_view>{};
  if (code != 0)
    return fail(code, cannot_read);
  return std::optional{to_view(out)};
}

caf::expected<std::optional<table_entry>>
lmdb_txn::find_from(table_id table, std::string_view key) {
  auto* raw = static_cast<MDB_cursor*>(nullptr);
  if (auto code = mdb_cursor_open(handle_.get(), handle_of(table), &raw))
    return fail(code, cannot_read);
  auto cursor = cursor_ptr{raw};
  auto at = to_val(key);
  auto value = MDB_val{};
  auto op = key.empty() ? MDB_FIRST : MDB_SET_RANGE;
  auto code = mdb_cursor_get(cursor.get(), &at, &value, op);
  if (code == MDB_NOTFOUND)
    return std::optional<table_entry>{};
  if (code != 0)
    return fail(code, cannot_read);
  return std::optional{table_entry{to_view(at), to_view(value)}};
}

caf::expected<std::optional<table_entry>>
lmdb_txn::find_before(table_id table, std::string_view key) {
  auto* raw = static_cast<MDB_cursor*>(nullptr);
  if (auto code = mdb_cursor_open(handle_.get(), handle_of(table), &raw))
    return fail(code, cannot_read);
  auto cursor = cursor_ptr{raw};
  auto at = to_val(key);
  auto value = MDB_val{};
  auto code = key.empty()
                ? MDB_NOTFOUND
                : mdb_cursor_get(cursor.get(), &at, &value, MDB_SET_RANGE);
  // Nothing is beyond it: then it is the last of all.
  if (code == 0 || code == MDB_NOTFOUND)
    code = mdb_cursor_get(cursor.get(), &at, &value,
                          code == 0 ? MDB_PREV : MDB_LAST);
  if (code == MDB_NOTFOUND)
    return std::optional<table_entry>{};
  if (code != 0)
    return fail(code, cannot_read);
  return std::optional{table_entry{to_view(at), to_view(value)}};
}

caf::expected<char*> lmdb_txn::reserve(table_id table, std::string_view key,
                                       size_t size) {
  auto in = to_val(key);
  auto out = MDB_val{size, nullptr};
  auto code = mdb_put(handle_.get(), handle_of(table), &in, &out, MDB_RESERVE);
  if (code != 0)
    return fail(code, cannot_write);
  return static_cast<char*>(out.mv_data);
}

caf::expected<bool> lmdb_txn::erase(table_id table, std::string_view key) {
  auto in = to_val(key);
  auto code = mdb_del(handle_.get(), handle_of(table), &in, nullptr);
  if (code == MDB_NOTFOUND)
    return false;
  if (code != 0)
    return fail(code, cannot_write);
  return true;
}

caf::expected<bool> lmdb_txn::are_free(uint64_t first, uint64_t last) {
  auto used = std::vector<bool>(last - first + 1, true);
  auto* raw = static_cast<MDB_cursor*>(nullptr);
  if (auto code = mdb_cursor_open(handle_.get(), free_pages, &raw))
    return fail(code, cannot_read);
  auto cursor = cursor_ptr{raw};
  auto key = MDB_val{};
  auto list = MDB_val{};
  auto code = 0;
  while (!(code = mdb_cursor_get(cursor.get(), &key, &list, MDB_NEXT)))
    clear_listed(used, first, to_view(list));
  if (code != MDB_NOTFOUND)
    return fail(code, cannot_read);
  return std::find(used.begin(), used.end(), true) == used.end();
}

caf::error lmdb_txn::fail(int code, std::string_view doing) {
  if (failure_ == 0)
    failure_ = code;
  return lmdb_error(code, doing);
}

} // namespace troupe
