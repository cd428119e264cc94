#pragma once

#include "troupe/actors/workflow/participant.hpp"
#include "troupe/actors/workflow/workflow_run.hpp"
#include "troupe/runtime/co/task.hpp"

#include <string>

namespace troupe {

/// What `workflow_context::run_agent` does.
co::task<std::string> do_agent(workflow_context flow, std::string agent,
                               std::string prompt);

/// Takes from a step what it would tell the store: at the top its events get
/// their place among those of the run; on the way there the usage of all around
/// it grows. All of it is stored at once with what the step's conversation got.
void take_commit(workflow_ptr self, commit_run& commit);

/// Ends the participants that run, as the run ends, and waits until their ends
/// are recorded.
co::task<void> end_participants(workflow_ptr self, run_outcome outcome);

} // namespace troupe
