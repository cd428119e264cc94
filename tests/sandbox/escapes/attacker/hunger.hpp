#pragma once

namespace troupe::attacker {

// What uses things up. All of them end by themselves within a minute or so,
// should nothing end them before.

/// Touches so many MiB of memory, and waits.
int hold_memory(long mebibytes);

/// The same in memory that is shared with nobody but could be.
int hold_shared_memory(long mebibytes);

/// Starts processes that start processes, up to `most` ends of life.
int fork_on(long most);

/// Starts threads that wait, `most` of them.
int start_threads(long most);

/// Uses the CPU in `processes` children that nobody waits for.
int burn_in_children(long processes);

/// Makes so many empty files in the folder; prints how many it made.
int make_files(const char* folder, long most);

} // namespace troupe::attacker
