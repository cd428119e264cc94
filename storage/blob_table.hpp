#pragma once

#include "troupe/storage/lmdb_table.hpp"
#include "troupe/storage/record_codec.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace troupe {

/// Bodies that are stored once however often they occur, under the SHA-256 of
/// their bytes, with a count of the records that use them. Lives within one
/// transaction, which must outlive it.
class blob_table {
public:
  explicit blob_table(lmdb_txn& txn);

  /// Stores `body` unless it is there, and counts one more use.
  caf::expected<blob_reference> add(std::string_view body);

  /// The body, checked against its digest.
  caf::expected<std::string> load(const blob_reference& reference);

  /// The same; null where there is no such body.
  caf::expected<std::shared_ptr<const std::string>>
  find(const blob_reference& reference);

  /// Counts one use less, and removes the body with the last.
  caf::error release(const blob_reference& reference);

private:
  lmdb_table<blob_codec> bodies_;
  lmdb_table<blob_uses_codec> uses_;
};

} // namespace troupe
