#pragma once

#include <cstdint>
#include <string>

namespace troupe::test {

// What `storage_peer` does with runs.

/// Takes or begins the runs of the peer at `time`, and commits to them until it
/// is killed. Commit number n of a run has events 2n-1 and 2n, as many records,
/// the value "step" n and the artifact "last" of n.
[[noreturn]] void commit_until_killed(const std::string& folder, int64_t time);

/// Acknowledges once it is ready, then takes due runs and completes them, until
/// there is a run "stop".
int race(const std::string& folder);

/// Takes the run "held" and appends events that say "peer" until it is refused.
int hold(const std::string& folder);

} // namespace troupe::test
