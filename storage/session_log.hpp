#pragma once

#include "troupe/storage/body_table.hpp"
#include "troupe/storage/key_codec.hpp"
#include "troupe/storage/lmdb_table.hpp"
#include "troupe/storage/run_table.hpp"
#include "troupe/storage/session_codec.hpp"
#include "troupe/storage/session_forks.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The calls of a `store` that are about conversations, within one transaction,
/// which must outlive it.
class session_log {
public:
  explicit session_log(lmdb_txn& txn);

  /// Whether the run `run_id`, or none where that is empty, may append to
  /// `key`.
  caf::expected<bool> is_free(const session_key& key,
                              const std::string& run_id);

  /// Appends and numbers `entry.records`, which then belong to `run_id`.
  caf::error append(session_append& entry, const std::string& run_id);

  caf::expected<std::vector<session_record>> load(const session_key& key,
                                                  uint64_t after, size_t max);

  caf::expected<std::optional<session_summary>> find(const session_key& key);

  caf::expected<std::vector<session_summary>>
  list(const std::string& session_id);

  caf::expected<bool> fork(const session_key& from, uint64_t records,
                           const session_key& to, int64_t at);

  caf::expected<uint64_t> erase(const session_key& key);

private:
  caf::expected<session_head> begin_session(const session_key& key, int64_t at);
  caf::error append_record(session_head& head, session_record& record);
  caf::expected<std::string> open_run(const session_head& head);
  caf::expected<session_summary> summarize(const session_head& head);
  caf::error count_prefix(const session_head& from, session_head& to);
  caf::expected<record_kind> kind_of(const std::vector<log_range>& ranges,
                                     uint64_t seq);

  lmdb_table<session_head_codec> heads_;
  body_table<record_codec> records_;
  lmdb_table<counter_codec> counters_;
  session_forks forks_;
  run_table runs_;
};

} // namespace troupe
