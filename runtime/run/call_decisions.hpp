#pragma once

#include "troupe/runtime/messages/run_messages.hpp"
#include "troupe/storage/run_records.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// What a person decided about a call, bound to that very call: its id, the
/// message it stands in and a digest of what it would do.
struct stored_decision {
  std::string call_id;
  uint64_t record = 0;
  std::string digest;
  bool approve = false;
  std::string reason;
  /// The conversation of a step; empty: the run's own.
  std::string session_id;
  /// Made for this leg of the run; not stored.
  bool is_new = false;
};

/// What a decision about `call` is bound to: the SHA-256 of its name and
/// arguments in hex; empty, and bound to nothing, where there is no SHA-256.
std::string digest_of(const tool_call& call);

/// What a person calls a call that waits: its id, or "STEP/ID" where calls of
/// several steps have the same.
std::string name_of(const run_suspension& waiting, const pending_approval& x);

/// The values that keep decisions with their run, "decision/CALL_ID", and for a
/// call of a step "decision/SESSION_ID/CALL_ID".
run_value make_decision_value(const stored_decision& decision, int64_t at);
caf::expected<stored_decision> read_decision(const run_value& value);

/// Binds what a person said to the calls that a run waits for, which he may
/// give by `name_of` or, where that is clear, by the id; an error that lists
/// them where a decision is about none, or is about one of several without
/// saying which (its `call_id` is empty then).
caf::expected<std::vector<stored_decision>>
bind_decisions(const std::vector<call_decision>& said,
               const run_suspension& waiting);

} // namespace troupe
