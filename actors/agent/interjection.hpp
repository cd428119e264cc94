#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

// What is said to an agent while it works. It is heard at the next place where
// a conversation takes a message of the user: behind the results of a turn, or
// behind an answer, which is then not the last. A run that ends before that
// leaves it to the conversation's next run. A step's conversation has none, so
// whoever asked the step hears that it was too late.

/// Answers when it is known what has become of `what`.
co::task<interjection_end> hear(agent_ptr self, interject what);

/// Whether something was said that the model has not been told.
bool has_unheard(const agent_state& state);

/// Adds what was said to the conversation, for the next request to the model.
void deliver_interjections(agent_ptr self);

/// At the end of a run, while its conversation may still be added to.
void leave_interjections(agent_ptr self, run_status end);

/// Answers those that were left, once that is stored.
void answer_interjections(agent_ptr self);

} // namespace troupe
