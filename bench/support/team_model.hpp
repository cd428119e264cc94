#pragma once

#include "troupe/runtime/messages/interfaces.hpp"

namespace troupe::bench {

/// Answers at once, as the id of the model asks: "say" a sentence; "hand:NAME",
/// hand over to that member; "start:N", start N subagents of the kind "one",
/// wait for them, then answer; "sleep", run a command that takes an hour.
model_actor::behavior_type team_model(model_actor::pointer self);

} // namespace troupe::bench
