#pragma once

#include "troupe/storage/blob_table.hpp"
#include "troupe/storage/lmdb_table.hpp"
#include "troupe/storage/record_codec.hpp"
#include "troupe/storage/session_store.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// The calls of a `session_store` within one transaction, which must outlive
/// it.
class session_log {
public:
  explicit session_log(lmdb_txn& txn);

  /// Appends and numbers `entry.records`.
  caf::error append(session_append& entry);

  caf::expected<std::vector<session_record>> load(const session_key& key,
                                                  uint64_t after, size_t max);

  caf::expected<std::vector<session_summary>>
  list(const std::string& session_id);

  caf::expected<uint64_t> erase(const session_key& key);

private:
  caf::expected<session_head> begin_session(const session_append& entry);
  caf::error append_record(session_head& head, session_record& record);
  caf::expected<stored_record> find_record(uint64_t number, uint64_t seq);
  caf::expected<session_record> load_record(uint64_t number, uint64_t seq);
  caf::error erase_record(uint64_t number, uint64_t seq);

  lmdb_table<session_head_codec> heads_;
  lmdb_table<record_codec> records_;
  lmdb_table<counter_codec> counters_;
  blob_table blobs_;
};

} // namespace troupe
