#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/actors/run/run_journal.hpp"

namespace troupe {

// What an agent's run collects beside its events: see run_journal.hpp.

/// Appends `message` to the log of the conversation; gives it with its record.
chat_message_ptr log_message(agent_ptr self, chat_message message);

/// Appends `message` to the conversation, here and in the log.
chat_message_ptr add_message(agent_ptr self, chat_message message);

/// Logs that the call in slot `index` is about to start.
void log_intent(agent_ptr self, size_t index);

/// Logs the run state as it is now.
void log_run_state(agent_ptr self);

/// Logs what stands for the oldest part of the conversation from here on; gives
/// its record.
uint64_t log_summary(agent_ptr self, history_summary summary);

} // namespace troupe
