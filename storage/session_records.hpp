#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace troupe {

/// Names one conversation. Two keys that differ in any part are two
/// conversations that never see each other.
struct session_key {
  std::string agent;
  std::string session_id;
  /// Empty when the caller has none.
  std::string actor_id;

  friend bool operator==(const session_key& x, const session_key& y) {
    return x.agent == y.agent && x.session_id == y.session_id
           && x.actor_id == y.actor_id;
  }
};

/// What a record of a session's log is. On disk: append, never reorder.
enum class record_kind : uint8_t {
  /// One chat message: user, assistant or tool result.
  message = 1,
  /// The whole mutable run state as it is from here on; the last one counts.
  state = 2,
  /// A tool call is about to start.
  intent = 3,
  /// Stands for all records before it but those it names; the last one counts.
  summary = 4,
};

constexpr bool is_known(record_kind kind) {
  return kind >= record_kind::message && kind <= record_kind::summary;
}

/// The most blobs that one record has.
constexpr size_t most_blobs = 1000;

/// Bytes that belong to a record beside its body. A store keeps them once by
/// content, with a count of the records that have them.
struct stored_blob {
  /// Their SHA-256 in hex and their size: set by the store where a record is
  /// read; where one is committed only the bytes count.
  std::string digest;
  uint64_t size = 0;
  /// Null where a record was read: `store::load_blob` gives them.
  std::shared_ptr<const std::string> bytes;
};

/// One entry of a session's log. `body` is CBOR and belongs to the caller.
struct session_record {
  /// 1, 2, 3… without gaps within its key; set by the store on commit.
  uint64_t seq = 0;
  record_kind kind = record_kind::message;
  /// Microseconds since the epoch, UTC; set by the caller.
  int64_t at = 0;
  std::string body;
  std::vector<stored_blob> blobs = {};
};

/// Records to append to one session, in order. A session begins with its first
/// record; an entry without any does nothing, unless it claims.
struct session_append {
  session_key key;
  std::vector<session_record> records;
  /// When the run of the commit takes the conversation, also one that has no
  /// records yet; 0: with the first record that it appends.
  int64_t claimed_at = 0;
};

/// Whether an entry is for the owner of its conversation only.
inline bool takes_session(const session_append& x) noexcept {
  return !x.records.empty() || x.claimed_at != 0;
}

/// What is known of a session without its records.
struct session_summary {
  session_key key;
  /// How many records it has, which is the seq of the last.
  uint64_t records = 0;
  /// Of them, those of kind message.
  uint64_t messages = 0;
  int64_t created_at = 0;
  int64_t updated_at = 0;
  /// The run that the conversation belongs to; empty when it is free.
  std::string open_run;
  /// The seq of the last record of kind state, or 0.
  uint64_t last_state = 0;
  /// The seq of the last record of kind summary, or 0: what comes before it
  /// need not be read to go on.
  uint64_t last_summary = 0;
  /// A fork: the session that it was made of, which may be gone. All parts
  /// empty when it is none.
  session_key parent;
  /// How many of its records it shares with `parent`.
  uint64_t parent_records = 0;
};

/// Whether there is more to a session than a run that took it and has said
/// nothing yet.
inline bool has_begun(const session_summary& x) {
  return x.records > 0 || !(x.parent == session_key{});
}

/// The order of lists in every store: newest first; what is as new goes by its
/// key.
inline bool is_listed_before(const session_summary& x,
                             const session_summary& y) {
  if (x.updated_at != y.updated_at)
    return x.updated_at > y.updated_at;
  return std::tie(x.key.session_id, x.key.agent, x.key.actor_id)
         < std::tie(y.key.session_id, y.key.agent, y.key.actor_id);
}

} // namespace troupe
