#include "troupe/actors/agent/conversation.hpp"

#include "troupe/actors/agent/context.hpp"
#include "troupe/actors/agent/journal.hpp"
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

void give_response(agent_state& state, std::string text) {
  auto& object = state.record.object;
  object.has_response = true;
  object.response = std::move(text);
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
    if (is_answer && last->calls.empty()) {
      give_response(state, last->text);
      break;
    }
    if (is_answer) {
      auto end = co_await run_calls(self);
      if (end == turn_end::waits)
        co_return run_status::suspended;
      if (end == turn_end::final) {
        give_response(state, last->text);
        break;
      }
    }
    check_turns(state);
    stop = co_await ask_in_window(self);
  }
  if (stop == stop_reason::max_tokens)
    throw co::failure{errc::limit,
                      "the model stopped at its limit of output tokens"};
  co_return run_status::completed;
}

} // namespace troupe
