#pragma once

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

struct storage_settings;

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
};

constexpr bool is_known(record_kind kind) {
  return kind == record_kind::message || kind == record_kind::state;
}

/// One entry of a session's log. `body` is CBOR and belongs to the caller.
struct session_record {
  /// 1, 2, 3… without gaps within its key; set by the store on append.
  uint64_t seq = 0;
  record_kind kind = record_kind::message;
  /// Microseconds since the epoch, UTC; set by the caller.
  int64_t at = 0;
  std::string body;
};

/// Records to append to one session, in order.
struct session_append {
  session_key key;
  std::vector<session_record> records;
};

/// One line of `sessions list`.
struct session_summary {
  session_key key;
  /// Records of kind message.
  uint64_t messages = 0;
  int64_t created_at = 0;
  int64_t updated_at = 0;
};

/// Whether every store takes `batch`: each part of a key at most 64 KiB, each
/// body at most 1 GiB, each kind known. The error of `append` where not.
caf::error check_append(const std::vector<session_append>& batch);

/// Keeps conversations. Every call is short and synchronous; a store is used
/// by one thread at a time and says so no further: its owner (the store
/// actor) sees to it. Errors are `errc::storage` and lose nothing: a call
/// that fails has changed nothing.
class session_store {
public:
  session_store() = default;
  session_store(const session_store&) = delete;
  session_store& operator=(const session_store&) = delete;
  virtual ~session_store();

  /// Whether a commit waits for a disk, so that appends should share one.
  virtual bool is_on_disk() const noexcept = 0;

  /// Appends all of `batch` in one transaction, in order, and returns when it
  /// is as durable as the store was told to make it. Numbers the records. A
  /// session begins with its first record; an entry without any does nothing.
  virtual caf::error append(std::vector<session_append>& batch) = 0;

  /// The records of `key` with `after` < seq, at most `max` of them, oldest
  /// first; none when the session does not exist.
  virtual caf::expected<std::vector<session_record>>
  load(const session_key& key, uint64_t after, size_t max) = 0;

  /// Every session, newest update first; of `session_id` only where that is
  /// not empty.
  virtual caf::expected<std::vector<session_summary>>
  list(const std::string& session_id) = 0;

  /// Removes a session's records; how many sessions were removed (0 or 1).
  virtual caf::expected<uint64_t> erase(const session_key& key) = 0;
};

/// A store that keeps everything in memory and ends with its object.
std::unique_ptr<session_store> make_memory_session_store();

/// The store in the folder `settings.path`, which is made when missing.
/// `settings.in_memory` is ignored. Other processes may have it open at the
/// same time; this one only once. Errors name the file and what to do.
caf::expected<std::unique_ptr<session_store>>
make_lmdb_session_store(const storage_settings& settings);

/// The kind of store that `settings` asks for.
caf::expected<std::unique_ptr<session_store>>
make_session_store(const storage_settings& settings);

} // namespace troupe
