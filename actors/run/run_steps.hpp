#pragma once

#include "troupe/actors/run/run_spec.hpp"

#include <string>
#include <vector>

namespace troupe {

// The steps of a run are told by its events, which rise from the participants
// through the assemblies around them to the run; each of these knows the steps
// beneath it.

/// Records that a participant begins or goes on: an event, and a step. `after`
/// are the steps that led to it; none: the run began with it.
void record_step_start(run_base& run, const std::string& name,
                       const std::string& participant,
                       const std::vector<std::string>& after = {});

/// Records what it came to, with the kind of its error where it has one.
void record_step_stop(run_base& run, const std::string& name,
                      const std::string& participant, run_status status,
                      const std::string& error_kind = {});

/// Takes over what an event of a participant says about steps; other events
/// are none of its business.
void take_step(run_base& run, run_event& event);

} // namespace troupe
