#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

/// How a turn of calls ends.
enum class turn_end : uint8_t {
  /// Every call has its result.
  settled,
  /// A call waits for a person.
  waits,
  /// So it has, but some were over the run's limit and were not run.
  excess,
};

/// Runs those calls of the conversation's last message that have no result yet
/// and adds all results, in call order, unless one has to wait.
co::task<turn_end> run_calls(agent_ptr self);

/// Opens the turn of the conversation's last message: a slot for each of its
/// calls, with what an earlier owner of the run left.
void open_slots(agent_state& state);

/// Moves the results of the turn under way into the conversation: one for each
/// call, in call order. A call without one is told `missing`.
void settle_calls(agent_ptr self, const std::string& missing);

/// How many calls the run may make, alone or together with others.
uint64_t most_calls(const agent_state& state);

} // namespace troupe
