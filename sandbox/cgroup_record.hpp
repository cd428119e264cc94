#pragma once

#include "troupe/sandbox/cgroup.hpp"

#include <string>

namespace troupe {

// A cgroup outlives its sandbox when its owner and the warden that was to
// remove it are killed. So each has a record: an empty folder of the same name
// in a folder that only this user can write. The name tells who made it, and a
// group is only swept away for its record, never for its name alone.

/// A name for a group of this process that nobody else has.
std::string make_cgroup_name();

/// Records that this process makes a group of that name. Returns the path of
/// the record, to be removed after the group; empty where there is no place
/// for records.
std::string record_cgroup(const std::string& name);

/// Removes the empty groups beneath `parents` whose owner is gone, and their
/// records. Owners in other PID namespaces cannot be seen from here: theirs
/// are left alone.
void sweep_cgroups(const cgroup_parents& parents);

} // namespace troupe
