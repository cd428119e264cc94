#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

/// The conversation that a run belongs to.
session_key session_of(const agent_state& state);

/// Appends `message` to the stored conversation; not awaited, see `sync`.
void store_message(agent_ptr self, const chat_message_ptr& message);

/// Appends `message` to the conversation, here and in the store.
void add_message(agent_ptr self, chat_message_ptr message);

/// Stores the run state as it is now.
void store_run_state(agent_ptr self);

/// Waits until all that was stored is as durable as the store makes it.
/// Throws `co::failure`.
co::task<void> sync(agent_ptr self);

} // namespace troupe
