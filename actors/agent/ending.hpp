#pragma once

#include "troupe/actors/agent/agent.hpp"

namespace troupe {

/// Ends a run, whatever it is doing: destroys the loop, ends what works for
/// it, settles the conversation, closes what was opened in reverse order and
/// then says so. Only the first call counts.
void begin_ending(agent_ptr self, run_outcome outcome);

} // namespace troupe
