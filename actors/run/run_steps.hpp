#pragma once

#include "troupe/actors/run/run_spec.hpp"

#include <string>

namespace troupe {

// The steps of a run are told by its events, which rise from the participants
// through the assemblies around them to the run; each of these knows the steps
// beneath it.

/// Records that a participant begins or goes on: an event, and a step.
void record_step_start(run_base& run, const std::string& name,
                       const std::string& participant);

/// Records what it came to.
void record_step_stop(run_base& run, const std::string& name,
                      const std::string& participant, run_status status);

/// Takes over what an event of a participant says about steps; other events
/// are none of its business.
void take_step(run_base& run, run_event& event);

} // namespace troupe
