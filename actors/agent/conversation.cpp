#include "troupe/actors/agent/conversation.hpp"

#include "troupe/actors/agent/journal.hpp"
#include "troupe/actors/agent/model_turn.hpp"
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

co::task<void> converse(agent_ptr self) {
  auto& state = self->state;
  for (;;) {
    check_turns(state);
    auto stop = co_await ask_model(self);
    const auto& answer = *state.messages.back();
    if (answer.calls.empty()) {
      give_response(state, answer.text);
      if (stop == stop_reason::max_tokens)
        throw co::failure{errc::limit,
                          "the model stopped at its limit of output tokens"};
      break;
    }
    co_await run_calls(self);
  }
  co_await sync(self);
}

} // namespace troupe
