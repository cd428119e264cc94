#pragma once

#include "troupe/storage/session_records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The words of `status` in the run object. On disk: append, never reorder.
enum class run_status : uint8_t {
  pending,
  queued,
  running,
  suspended,
  completed,
  failed,
  partial,
  cancelled,
  interrupted,
};

constexpr bool is_known(run_status x) {
  return x <= run_status::interrupted;
}

/// Whether a run of this status is over for good.
constexpr bool is_over(run_status x) {
  return x == run_status::completed || x == run_status::failed
         || x == run_status::partial || x == run_status::cancelled;
}

/// Who works on a run, and until when others must believe it. The epoch grows
/// with every owner: a commit under an older one is refused, so two owners
/// never interleave, whatever their clocks say.
struct run_lease {
  /// The process: see `process_identity`. Empty while nobody has the run.
  std::string owner;
  /// 0 before the first owner.
  uint64_t epoch = 0;
  /// Microseconds since the epoch; good before, not at it.
  int64_t until = 0;
};

/// What the store knows of a run without its events.
struct run_head {
  /// A UUIDv7 in its usual form: sorts by the time it was made. To a store any
  /// 1 to 128 bytes.
  std::string run_id;
  /// agent, workflow, swarm or graph; at most 64 bytes.
  std::string kind;
  /// The agent's or workflow's name; at most 64 KiB.
  std::string name;
  /// Empty: not from a queue. At most 64 KiB.
  std::string queue;
  /// The conversation that the run has; all parts empty when it has none.
  session_key session;
  run_status status = run_status::pending;
  int64_t created_at = 0;
  /// Of the last `run_change`, event, `acquire` or `reconcile`.
  int64_t updated_at = 0;
  /// Queued: not to be started before; 0: due since it was queued.
  int64_t due_at = 0;
  run_lease lease;
  /// How many events it has, which is the seq of the last.
  uint64_t events = 0;
  /// How often somebody took it up after its first owner, other than from the
  /// queue; never reset.
  uint32_t recoveries = 0;
  /// Somebody wants it to end as cancelled.
  bool cancel_requested = false;
  /// CBOR, the caller's: input, response, usage, suspension, error…
  std::string details;
};

/// One entry of a run's event log. `body` is CBOR and the caller's.
struct event_record {
  /// 1, 2, 3… without gaps within its run; set by the caller, checked by the
  /// store.
  uint64_t seq = 0;
  int64_t at = 0;
  std::string body;
};

/// A named value of a run: a checkpoint, a decision, an input. Put again, it is
/// replaced.
struct run_value {
  /// At most 400 bytes; by convention "checkpoint/NAME", "decision/CALL_ID"…
  std::string name;
  int64_t at = 0;
  std::string body;
  std::vector<stored_blob> blobs = {};
};

/// What one run hands on: bytes under a name. Stored once by content.
struct artifact_record {
  /// At most 400 bytes.
  std::string name;
  std::string media_type;
  int64_t at = 0;
  /// Set by the store where it is read.
  uint64_t size = 0;
  std::string content;
};

/// What a commit changes of a run's head.
struct run_change {
  run_status status = run_status::running;
  int64_t at = 0;
  /// For `queued`.
  int64_t due_at = 0;
  /// In place of the old ones; empty: these stay.
  std::string details;
};

/// Why one entry of a batch was refused; the others are committed.
enum class commit_refusal : uint8_t {
  none,
  /// Somebody else has taken the run, or nobody has it: see `run_lease`.
  stale,
  /// The conversation belongs to another run that is not over.
  session_busy,
  /// The events do not follow those that are there.
  out_of_order,
  /// There is a run of that id already.
  exists,
};

/// What is to happen at once or not at all. A conversation belongs to the run
/// whose commit first appends to it until that run is over; appends without a
/// run (imports) are refused while it does.
struct store_commit {
  /// Empty: no run, only `sessions` count.
  std::string run_id;
  /// Must be the run's.
  uint64_t epoch = 0;
  /// Begins the run `run_id`, before the rest of this commit: with no events,
  /// no recoveries, no request to cancel and, where its status is running,
  /// epoch 1 for `lease.owner`. `epoch` does not count then.
  std::optional<run_head> begin;
  std::optional<run_change> change;
  std::vector<event_record> events;
  std::vector<run_value> values;
  std::vector<artifact_record> artifacts;
  std::vector<session_append> sessions;
  /// May take what a store keeps so that a full one can be made room in: a few
  /// bytes that say how a run ended for which there was no room.
  bool is_last_word = false;
  /// Set by the store.
  commit_refusal refusal = commit_refusal::none;
};

/// Which runs are wanted; empty members match all.
struct run_filter {
  std::optional<run_status> status;
  std::string kind;
  std::string name;
  std::optional<std::string> queue;
  /// created_at in [since, until); 0: without bound.
  int64_t since = 0;
  int64_t until = 0;
  /// Only ids that sort before this one: the last of a page leads to the next.
  std::string before;
};

} // namespace troupe
