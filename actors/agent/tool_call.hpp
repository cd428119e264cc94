#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

#include <string>

namespace troupe {

/// `{"error": text}` as a result.
tool_result error_result(const std::string& text);

/// What is wrong with a call, as a sentence that its model can act on.
std::string fault_of(const agent_state& state, const call_slot& slot);

/// Records the result of the call in slot `index`, once: the message in the
/// store, the event to the readers. A second result is dropped.
void answer_call(agent_ptr self, size_t index, tool_result result);

/// Says that the call in slot `index` waits for a person.
void announce_approval(agent_ptr self, size_t index);

/// The calls that wait for a person.
std::vector<pending_approval> pending_approvals(const agent_state& state);

/// Checks the call in slot `index`, asks for permission where the rules say
/// so, has it run and records its result. A tool that dies is a result too;
/// a call that was cancelled, or waits for a person, is left without one.
co::task<void> run_call(agent_ptr self, size_t index);

} // namespace troupe
