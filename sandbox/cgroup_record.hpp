#pragma once

#include "troupe/sandbox/cgroup.hpp"

#include <string>

namespace troupe {

// A cgroup outlives its sandbox when its owner and the warden that was to
// remove it are killed. So each has a record, an empty folder of the same name:
// see owner_record.hpp.

/// Records that this process makes a group of that name. Returns the path of
/// the record, to be removed after the group; empty where there is no place
/// for records.
std::string record_cgroup(const std::string& name);

/// Removes the empty groups beneath `parents` whose owner is gone, and their
/// records.
void sweep_cgroups(const cgroup_parents& parents);

} // namespace troupe
