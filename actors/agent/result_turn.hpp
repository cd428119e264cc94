#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/actors/agent/tool_turn.hpp"

namespace troupe {

// What an answer and its calls come to: the end of the run, or another turn.
// It is decided by what stands in the conversation, so a run that goes on after
// a crash decides as the one before it would have.

/// What a model is told of the tool for results, beside its description.
inline constexpr auto result_rule
  = "When the task is done, call final_result with the result. Only what you "
    "give to that tool counts as the result; an answer in text does not.";

/// Takes an answer without calls; whether the run ends with it. Otherwise it is
/// no valid result, and the model was told once what is wrong. Throws
/// `co::failure` of kind `structured_result` the second time.
bool judge_answer(agent_ptr self, const chat_message& answer);

/// Takes the turn of calls that the conversation ends with, if it does; whether
/// a call of it ends the run: one of the run's final tool, or one that gives a
/// valid result. Otherwise looks for what goes wrong: `end`, calls that repeat
/// themselves, results that are not valid. Throws `co::failure`.
bool judge_turn(agent_ptr self, turn_end end);

} // namespace troupe
