#include "troupe/actors/agent/conversation.hpp"

#include "troupe/actors/agent/context.hpp"
#include "troupe/actors/agent/interjection.hpp"
#include "troupe/actors/agent/journal.hpp"
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

void give_response(agent_state& state, std::string text) {
  auto& object = state.record.object;
  object.has_response = true;
  object.response = std::move(text);
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
    if (is_answer && last->calls.empty() && !may_go_on(state)) {
      give_response(state, last->text);
      break;
    }
    if (is_answer && !last->calls.empty()) {
      auto end = co_await run_calls(self);
      if (end == turn_end::waits)
        co_return run_status::suspended;
      if (end == turn_end::final) {
        give_response(state, last->text);
        break;
      }
    }
    check_limits(state);
    deliver_interjections(self);
    stop = co_await ask_in_window(self);
  }
  if (stop == stop_reason::max_tokens)
    throw co::failure{errc::limit,
                      "the model stopped at its limit of output tokens"};
  co_return run_status::completed;
}

} // namespace troupe
