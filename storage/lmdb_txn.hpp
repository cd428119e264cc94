#pragma once

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

struct MDB_txn;

namespace troupe {

/// The tables of a store: see FORMAT.md.
enum class table_id : uint8_t {
  meta,
  sessions,
  records,
  blobs,
  blob_uses,
  logs,
  forks,
  runs,
  run_details,
  run_status,
  run_due,
  events,
  run_values,
  artifacts,
};

constexpr size_t table_count = 14;

/// LMDB's handles of the tables, by `table_id`.
using table_handles = std::array<unsigned, table_count>;

/// One entry of a table. Both are good until the transaction writes or ends.
struct table_entry {
  std::string_view key;
  std::string_view value;
};

/// One transaction, undone unless committed. Made by `lmdb_env` and lent to
/// the work it runs, so none outlives the call that began it. Belongs to the
/// thread that began it. Every error is `errc::storage`; after one, the
/// transaction can only end.
class lmdb_txn {
public:
  /// Takes `handle`; `tables` must outlive it.
  lmdb_txn(MDB_txn* handle, table_handles& tables);
  lmdb_txn(lmdb_txn&&) = default;
  ~lmdb_txn();

  /// Makes everything so far permanent, as durable as the environment was
  /// told. Ends the transaction also where it fails, and then nothing of it
  /// happened.
  caf::error commit();

  /// How many tables the file has, ours or not.
  caf::expected<uint64_t> count_tables();

  /// Opens a table; false when there is none.
  caf::expected<bool> open_table(table_id table);

  /// Opens a table and creates it where it is missing.
  caf::error create_table(table_id table);

  /// The value of `key`, if it has one.
  caf::expected<std::optional<std::string_view>> get(table_id table,
                                                     std::string_view key);

  /// The first entry whose key is not less than `key`, if there is one.
  caf::expected<std::optional<table_entry>> find_from(table_id table,
                                                      std::string_view key);

  /// The last entry whose key is less than `key`, or the last of all where that
  /// is empty, if there is one.
  caf::expected<std::optional<table_entry>> find_before(table_id table,
                                                        std::string_view key);

  /// Stores a value of `size` bytes under `key` in place of any that is there,
  /// and returns where to write it, before the transaction's next call.
  caf::expected<char*> reserve(table_id table, std::string_view key,
                               size_t size);

  /// Removes an entry; false when there was none.
  caf::expected<bool> erase(table_id table, std::string_view key);

  /// Whether pages `first` to `last` of the file are all unused. Only where the
  /// transaction is for reading.
  caf::expected<bool> are_free(uint64_t first, uint64_t last);

  /// LMDB's code for the first call that failed, or 0.
  int failure() const noexcept {
    return failure_;
  }

private:
  struct abort_txn {
    void operator()(MDB_txn* handle) const noexcept;
  };

  unsigned handle_of(table_id table) const noexcept {
    return (*tables_)[static_cast<size_t>(table)];
  }

  caf::error fail(int code, std::string_view doing);
  caf::expected<bool> open_table(table_id table, unsigned flags);

  std::unique_ptr<MDB_txn, abort_txn> handle_;
  table_handles* tables_;
  int failure_ = 0;
};

} // namespace troupe
