#pragma once

#include "troupe/storage/lmdb_txn.hpp"
#include "troupe/storage/session_records.hpp"

#include "caf/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// What is known of a session without its records, as it lies in its table.
struct session_head {
  /// The store's own short name for its log; never used twice.
  uint64_t number = 0;
  /// How many records it has, which is the seq of the last.
  uint64_t records = 0;
  uint64_t messages = 0;
  int64_t created_at = 0;
  int64_t updated_at = 0;
  /// See `session_summary`.
  uint64_t last_state = 0;
  uint64_t last_summary = 0;
  /// The log that has its first records, 0 when it has all of its own; see
  /// `session_forks`.
  uint64_t parent = 0;
  /// How many these are.
  uint64_t shared = 0;
  /// The session's key.
  session_key key;
  /// The key of the session that it was forked from, which may be gone.
  session_key parent_key;
  /// The run that appended last, which may be over.
  std::string run_id;
};

struct session_head_codec {
  using value_type = session_head;
  static constexpr auto table = table_id::sessions;
  static size_t size(const session_head& value);
  static void write(const session_head& value, char* out);
  static caf::expected<session_head> read(std::string_view bytes);
};

/// Reads what schema 1 wrote. Its records know neither the last state nor
/// forks.
caf::expected<session_head> read_session_head_v1(std::string_view bytes);

/// A log that shares records: see `session_forks`.
struct forked_log {
  /// The log that has its first records, or 0; always less than its own.
  uint64_t parent = 0;
  /// How many these are.
  uint64_t shared = 0;
  /// The seq of the last record, where the session is gone; otherwise 0.
  uint64_t kept = 0;
};

struct forked_log_codec {
  using value_type = forked_log;
  static constexpr auto table = table_id::logs;
  static size_t size(const forked_log& value);
  static void write(const forked_log& value, char* out);
  static caf::expected<forked_log> read(std::string_view bytes);
};

/// How many records of its parent a log shares.
struct fork_codec {
  using value_type = uint64_t;
  static constexpr auto table = table_id::forks;
  static size_t size(uint64_t value);
  static void write(uint64_t value, char* out);
  static caf::expected<uint64_t> read(std::string_view bytes);
};

} // namespace troupe
