#include "troupe/actors/agent/conversation.hpp"

#include "troupe/actors/agent/context.hpp"
#include "troupe/actors/agent/result_turn.hpp"
#include "troupe/actors/agent/tool_turn.hpp"

#include <string>
#include <utility>

namespace troupe {

namespace {

void check_turns(const agent_state& state) {
  auto limit = state.limits.max_turns;
  if (state.record.object.usage.model_requests < limit)
    return;
  throw co::failure{errc::limit, "the run reached its limit of "
                                   + std::to_string(limit) + " turns"};
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
    if (is_answer && last->calls.empty()) {
      check_cut(state, *last, stop);
      if (judge_answer(self, *last))
        break;
    } else if (is_answer) {
      end = co_await run_calls(self);
    }
    if (end == turn_end::waits)
      co_return run_status::suspended;
    if (judge_turn(self, end))
      break;
    check_turns(state);
    stop = co_await ask_in_window(self);
  }
  co_return run_status::completed;
}

} // namespace troupe
