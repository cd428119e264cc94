#pragma once

#include "troupe/storage/run_records.hpp"
#include "troupe/storage/store.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace troupe {

// What happens to the head of a run, as pure functions: every store decides in
// the same way and differs only in where it keeps what comes out.

/// Makes of the head of a run what `commit` leaves.
void apply_commit(run_head& head, const store_commit& commit);

/// The head that `commit` leaves: of a new run where it begins one, else of the
/// run that has `found`. Details are taken over where they are given.
run_head head_after(const run_head* found, const store_commit& commit);

/// Why the run of `commit`, which has the head `found` if there is one, does
/// not take it. Conversations are not looked at.
commit_refusal refusal_of(const run_head* found, const store_commit& commit);

/// Whether somebody may make the run his own.
bool can_be_acquired(const run_head& head, int64_t now);

/// Makes `owner` the run's.
void acquire_run(run_head& head, const std::string& owner, int64_t now,
                 int64_t until);

/// Whether the run is running and its owner is gone.
bool is_abandoned(const run_head& head, int64_t now,
                  const std::function<bool(const std::string&)>& is_gone);

/// Takes the run from its owner, who may come back.
void interrupt_run(run_head& head, int64_t now);

/// Whether `claim` is that of the run's owner.
bool is_held(const run_head& head, uint64_t epoch);

/// Since when a queued run is due.
int64_t due_since(const run_head& head);

/// Whether `filter` wants the run.
bool is_wanted(const run_head& head, const run_filter& filter);

/// An error unless `key` fits into the head of a session.
caf::error check_key(const session_key& key);

/// An error unless `owner` fits into the head of a run.
caf::error check_owner(const std::string& owner);

} // namespace troupe
