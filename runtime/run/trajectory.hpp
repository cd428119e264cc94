#pragma once

#include "troupe/runtime/messages/run_messages.hpp"

#include "caf/timespan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

// Questions about the steps of a run and how it came from one to the next. Pure
// functions over the run object; steps are named as in it. A step contains
// another where its name and a slash are what the other's begins with. `now` is
// when those end that still run, in a run that does; 0: when they began.

/// The steps that ran at the same time as `name`, for a moment at least, in the
/// order of the run. None contains the other.
std::vector<std::string> steps_beside(const run_object& run,
                                      const std::string& name, int64_t now = 0);

/// The greatest number of steps that ran at the same time. Those that contain
/// others are not counted: the others do their work.
size_t most_at_once(const run_object& run, int64_t now = 0);

/// How the run came to `name`: one transition after the other, from where it
/// began. Where several steps were waited for, over the one that ended last.
std::vector<run_transition> path_to(const run_object& run,
                                    const std::string& name);

/// From the beginning of a step to its end. A step that was gone on with took
/// the time between, too. 0 for one that is not there.
caf::timespan total_time(const run_object& run, const std::string& name,
                         int64_t now = 0);

/// The part of it in which none of the steps that it contains ran.
caf::timespan own_time(const run_object& run, const std::string& name,
                       int64_t now = 0);

} // namespace troupe
