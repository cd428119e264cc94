#include "troupe/actors/agent/conversation.hpp"

#include "troupe/actors/agent/context.hpp"
#include "troupe/actors/agent/interjection.hpp"
#include "troupe/actors/agent/journal.hpp"
#include "troupe/actors/agent/result_turn.hpp"
#include "troupe/actors/agent/tool_turn.hpp"
#include "troupe/runtime/run/run_budget.hpp"

#include <string>
#include <utility>

namespace troupe {

namespace {

co::failure reached(uint64_t limit, const char* what) {
  return co::failure{errc::limit, "the run reached its limit of "
                                    + std::to_string(limit) + " " + what};
}

/// Throws where the model may not be asked again.
void check_limits(const agent_state& state) {
  const auto& usage = state.record.object.usage;
  const auto& limits = state.limits;
  if (usage.model_requests >= limits.max_turns)
    throw reached(limits.max_turns, "turns");
  auto tokens = usage.tokens.input_tokens + usage.tokens.output_tokens;
  if (limits.max_tokens > 0 && tokens >= limits.max_tokens)
    throw reached(limits.max_tokens, "tokens");
  const auto& budget = state.spec.budget;
  if (budget && !budget->has_tokens())
    throw reached(budget->limits().tokens,
                  "tokens, together with those that work for it");
}

/// An answer that was cut off ends the run, which keeps what there is of it:
/// nobody can mend it.
void check_cut(agent_state& state, const chat_message& answer,
               stop_reason stop) {
  if (stop != stop_reason::max_tokens)
    return;
  state.record.object.has_response = true;
  state.record.object.response = answer.text;
  throw co::failure{errc::limit,
                    "the model stopped at its limit of output tokens"};
}

/// Whether what was said behind an answer can be answered, too.
bool may_go_on(const agent_state& state) {
  return has_unheard(state)
         && state.record.object.usage.model_requests < state.limits.max_turns;
}

} // namespace

co::task<run_status> converse(agent_ptr self) {
  auto& state = self->state;
  auto stop = stop_reason::end_turn;
  if (state.messages.empty())
    throw co::failure{errc::storage, "the run's conversation was deleted"};
  for (;;) {
    // A resumed run stands wherever its last owner left it.
    auto last = state.messages.back();
    auto is_answer = last->role == message_role::assistant;
    auto end = turn_end::settled;
    // What was said behind the last word of the model gets an answer first.
    auto goes_on = may_go_on(state);
    if (is_answer && last->calls.empty()) {
      check_cut(state, *last, stop);
      if (!goes_on && judge_answer(self, *last))
        break;
    } else if (is_answer) {
      end = co_await run_calls(self);
    }
    if (end == turn_end::waits)
      co_return run_status::suspended;
    // A result is not the last word either; to hand over is.
    goes_on = end == turn_end::settled && may_go_on(state)
              && has_run_session(state.spec);
    if (!goes_on && judge_turn(self, end))
      break;
    check_limits(state);
    deliver_interjections(self);
    stop = co_await ask_in_window(self);
  }
  co_return run_status::completed;
}

} // namespace troupe
