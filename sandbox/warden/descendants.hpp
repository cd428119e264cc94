#pragma once

#include <cstdint>

namespace troupe::warden {

/// Kills the descendants there are, as far as a few looks tell. They are all
/// stopped first: what forks as fast as it can would otherwise be ahead of its
/// end for long. Call it again until no child is left. Needs /proc.
void kill_descendants();

/// What the descendants that live have taken of the CPU, with those they waited
/// for, in milliseconds.
int64_t cpu_of_descendants();

/// Whether /proc tells of this process's children, which it must.
bool can_see_children();

} // namespace troupe::warden
