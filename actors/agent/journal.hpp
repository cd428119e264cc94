#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

// What a run does is collected here and leaves in one piece: to the store,
// which keeps it whole or not at all, and to those who read the run's events.

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

/// Adds an event; a delta is for readers only.
void add_event(agent_ptr self, run_event event);

/// An event that is no more than its type and a text.
void add_event(agent_ptr self, event_type type, std::string text = {});

/// Sends the store what was collected; not awaited, see `sync`.
void flush_store_part(agent_ptr self);

/// Lets everybody have what was collected. Before each wait that may be long.
void flush(agent_ptr self);

/// Waits until all that was collected is as durable as the store makes it.
/// Throws `co::failure`.
co::task<void> sync(agent_ptr self);

} // namespace troupe
