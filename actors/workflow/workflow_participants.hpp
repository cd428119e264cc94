#pragma once

#include "troupe/actors/workflow/participant.hpp"
#include "troupe/actors/workflow/workflow_run.hpp"
#include "troupe/runtime/co/task.hpp"

#include <string>

namespace troupe {

/// The name of the step that `who` is asked as; others are told apart from it.
std::string name_of_step(const workflow_context& flow, const participant& who,
                         const participant_order& order);

/// What `workflow_context::run_agent` does.
co::task<std::string> do_agent(workflow_context flow, std::string agent,
                               std::string prompt);

/// Runs the agent that this host is for. Throws why it has no answer.
co::task<participant_answer>
ask_main(workflow_context flow, agent_definition_ptr agent, std::string input);

/// Passes on what is said to the run to who works in it, the first of several,
/// or else to who comes next.
co::task<interjection_end> pass_on_interjection(workflow_ptr self,
                                                interject what);

/// Takes from a step what it would tell the store: at the top its events get
/// their place among those of the run; on the way there the usage of all around
/// it grows. All of it is stored at once with what the step's conversation got.
void take_commit(workflow_ptr self, commit_run& commit);

/// Ends the participants that run, as the run ends, and waits until their ends
/// are recorded.
co::task<void> end_participants(workflow_ptr self, run_outcome outcome);

} // namespace troupe
