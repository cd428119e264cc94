#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/actors/run/run_journal.hpp"

namespace troupe {

// What an agent's run collects beside its events: see run_journal.hpp.

/// Appends `message` to the log of the conversation; gives its record.
uint64_t log_message(agent_ptr self, const chat_message_ptr& message);

/// Appends `message` to the conversation, here and in the log.
uint64_t add_message(agent_ptr self, chat_message_ptr message);

/// Logs that the call in slot `index` is about to start.
void log_intent(agent_ptr self, size_t index);

/// Logs the run state as it is now.
void log_run_state(agent_ptr self);

} // namespace troupe
