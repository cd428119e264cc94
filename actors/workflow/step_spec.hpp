#pragma once

#include "troupe/actors/workflow/participant.hpp"
#include "troupe/actors/workflow/workflow_run.hpp"

#include <optional>
#include <string>

namespace troupe {

// How a participant is started as a step of a run.

/// The name of a step among all of the run.
std::string path_in(const workflow_state& state, const std::string& name);

/// What the step `name` is started with; `order.turn` may lead it into the
/// conversation of another step.
run_spec step_spec(workflow_ptr self, const participant& who,
                   const std::string& name, const participant_order& order);

/// What the agent that a host is for is started with: it stands in the run as
/// if it had no host.
run_spec main_spec(workflow_ptr self, std::string input);

/// Who names a sandbox has that one and no wider.
bool has_own_sandbox(const run_definition& x);

/// Whether it may want files or commands.
bool may_need_sandbox(const run_definition& x);

/// The actor of a step; one with helpers gets its host.
run_actor spawn_step(workflow_ptr self, const participant& who, run_spec run,
                     std::optional<shared_sandbox> sandbox);

/// The actor of the agent that this host is for.
run_actor spawn_main(workflow_ptr self, const agent_definition_ptr& agent,
                     run_spec run, std::optional<shared_sandbox> sandbox);

} // namespace troupe
