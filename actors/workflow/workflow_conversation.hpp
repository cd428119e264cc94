#pragma once

#include "troupe/actors/workflow/workflow_run.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

// A workflow or assembly has a conversation as an agent has one: what it was
// asked and what it answered, run after run of a session. Its participants are
// shown that where they are to be. Steps have none of their own: theirs is the
// run's.

/// Waits for the conversation and says in it what the run was asked.
co::task<void> take_conversation(workflow_ptr self);

/// Adds what the run answered; the record of it, or 0 where it has no
/// conversation.
uint64_t leave_answer(workflow_ptr self);

/// Adds what was said to the run and nobody heard, for the next one to find.
void leave_unheard(workflow_ptr self, run_status end);

/// Answers those who said that, once it is stored.
void answer_unheard(workflow_ptr self);

/// Lets the next run have the conversation.
void give_back_conversation(workflow_ptr self);

} // namespace troupe
