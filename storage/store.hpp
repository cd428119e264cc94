#pragma once

#include "troupe/storage/run_records.hpp"
#include "troupe/storage/session_records.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct storage_settings;

/// Whether every store takes `batch`: names and bodies within their limits,
/// kinds and statuses known. The error of `store::commit` where not.
caf::error check_commit(const std::vector<store_commit>& batch);

/// Keeps conversations and runs. Every call is short and synchronous; a store
/// is used by one thread at a time and says so no further: its owner (the
/// store actor) sees to it. Errors are `errc::storage` and lose nothing: a
/// call that fails has changed nothing. Times are microseconds since the
/// epoch and the caller's: a store has no clock.
class store {
public:
  /// A run whose owner still works on it, as its owner remembers it.
  struct lease_claim {
    std::string run_id;
    /// Set to 0 by `store::renew` where it is no longer that of the run.
    uint64_t epoch = 0;
  };

  store() = default;
  store(const store&) = delete;
  store& operator=(const store&) = delete;
  virtual ~store();

  /// Whether a commit waits for a disk, so that commits should share one.
  virtual bool is_on_disk() const noexcept = 0;

  /// Commits all of `batch` in one transaction, in order, and returns when it
  /// is as durable as the store was told to make it. Numbers the session
  /// records. An entry that is refused (see `commit_refusal`) leaves no trace
  /// and the others are committed. A run that is over gives its conversation
  /// back; so does its lease end with every status but `running`.
  virtual caf::error commit(std::vector<store_commit>& batch) = 0;

  // -- conversations ----------------------------------------------------------

  /// The records of `key` with `after` < seq, at most `max` of them, oldest
  /// first, their blobs without bytes; none when the session does not exist.
  virtual caf::expected<std::vector<session_record>>
  load(const session_key& key, uint64_t after, size_t max) = 0;

  /// The bytes of a blob that a record or value was loaded with; null when it
  /// is not there any more.
  virtual caf::expected<std::shared_ptr<const std::string>>
  load_blob(const stored_blob& blob) = 0;

  /// What is known of one session without its records.
  virtual caf::expected<std::optional<session_summary>>
  find_session(const session_key& key) = 0;

  /// Every session, newest update first, then by session id, agent and actor
  /// id; of `session_id` only where that is not empty.
  virtual caf::expected<std::vector<session_summary>>
  list(const std::string& session_id) = 0;

  /// Begins `to` with the first `records` records of `from`, at the cost of a
  /// head: they are shared. False when `from` has fewer or does not exist, or
  /// when `to` exists.
  virtual caf::expected<bool> fork(const session_key& from, uint64_t records,
                                   const session_key& to, int64_t at)
    = 0;

  /// Removes a session's records but those that forks share, and the blobs that
  /// nobody else refers to; how many sessions were removed (0 or 1).
  virtual caf::expected<uint64_t> erase(const session_key& key) = 0;

  // -- runs -------------------------------------------------------------------

  virtual caf::expected<std::optional<run_head>>
  find_run(const std::string& run_id) = 0;

  /// The runs that match, newest first, which is by descending id, at most
  /// `max`; `matches` narrows further where it is not empty. It must not call
  /// the store.
  virtual caf::expected<std::vector<run_head>>
  list_runs(const run_filter& filter, size_t max,
            const std::function<bool(const run_head&)>& matches = {})
    = 0;

  /// Events of a run with `after` < seq, at most `max`, oldest first.
  virtual caf::expected<std::vector<event_record>>
  load_events(const std::string& run_id, uint64_t after, size_t max) = 0;

  /// The values of a run whose names begin with `prefix`, ordered by name,
  /// their blobs without bytes.
  virtual caf::expected<std::vector<run_value>>
  load_values(const std::string& run_id, const std::string& prefix) = 0;

  /// The artifacts of a run, ordered by name, without their contents.
  virtual caf::expected<std::vector<artifact_record>>
  list_artifacts(const std::string& run_id) = 0;

  virtual caf::expected<std::optional<artifact_record>>
  load_artifact(const std::string& run_id, const std::string& name) = 0;

  /// Removes a run that is over, with all it has but its conversation; false
  /// when there is none, or it is not over.
  virtual caf::expected<bool> erase_run(const std::string& run_id) = 0;

  // -- leases and the schedule ------------------------------------------------

  /// Makes `owner` the run's: a new epoch, status running, one recovery more
  /// unless it was queued or never had an owner. Null when it is over, or
  /// running under a lease that is good at `now`, or there is none.
  virtual caf::expected<std::optional<run_head>>
  acquire(const std::string& run_id, const std::string& owner, int64_t now,
          int64_t until)
    = 0;

  /// Acquires the queued run that has been due longest at `now`, of `queue`
  /// only where given; null when there is none.
  virtual caf::expected<std::optional<run_head>>
  acquire_due(const std::optional<std::string>& queue, const std::string& owner,
              int64_t now, int64_t until)
    = 0;

  /// When the next queued run is due, which may be in the past; null when
  /// there is none.
  virtual caf::expected<std::optional<int64_t>>
  next_due(const std::optional<std::string>& queue) = 0;

  /// Extends the leases that are still those of their epochs, in one
  /// transaction; sets `epoch` to 0 in those that are not.
  virtual caf::error renew(std::vector<lease_claim>& claims, int64_t until) = 0;

  /// Marks as interrupted the running runs whose lease is over at `now` or
  /// whose owner `is_gone`; their epochs grow, so that a late commit of theirs
  /// is refused. Returns their ids. `is_gone` gets the owners and must not call
  /// the store.
  virtual caf::expected<std::vector<std::string>>
  reconcile(int64_t now, const std::function<bool(const std::string&)>& is_gone)
    = 0;

  /// Asks the owner of a run to end it; null when the run is over or there is
  /// none. Who finds the status of the returned head other than running has to
  /// acquire and end it himself.
  virtual caf::expected<std::optional<run_head>>
  request_cancel(const std::string& run_id) = 0;

  /// Which of these runs are to be cancelled. Reads only; cheap enough to be
  /// asked several times a second.
  virtual caf::expected<std::vector<std::string>>
  cancel_requests(const std::vector<std::string>& run_ids) = 0;
};

/// A store that keeps everything in memory and ends with its object.
std::unique_ptr<store> make_memory_store();

/// The store in the folder `settings.path`, which is made when missing.
/// `settings.in_memory` is ignored. Other processes may have it open at the
/// same time; this one only once. Errors name the file and what to do.
caf::expected<std::unique_ptr<store>>
make_lmdb_store(const storage_settings& settings);

/// The kind of store that `settings` asks for.
caf::expected<std::unique_ptr<store>>
make_store(const storage_settings& settings);

} // namespace troupe
