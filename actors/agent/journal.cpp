#include "troupe/actors/agent/journal.hpp"

#include <utility>

namespace troupe {

chat_message_ptr log_message(agent_ptr self, chat_message message) {
  auto& state = self->state;
  if (message.temporary)
    return chat_message_ptr{std::move(message)};
  message.record = ++state.records;
  auto result = chat_message_ptr{std::move(message)};
  state.pending.log.push_back({result, {}, {}, {}});
  return result;
}

chat_message_ptr add_message(agent_ptr self, chat_message message) {
  auto result = log_message(self, std::move(message));
  self->state.messages.push_back(result);
  return result;
}

void log_intent(agent_ptr self, size_t index) {
  auto& state = self->state;
  const auto& id = state.calls[index].call.id;
  auto before = uint32_t{0};
  for (size_t i = 0; i < index; ++i)
    before += state.calls[i].call.id == id ? 1 : 0;
  state.pending.log.push_back({{}, {id, before}, {}, {}});
  ++state.records;
}

void log_run_state(agent_ptr self) {
  auto& state = self->state;
  state.pending.log.push_back({{}, {}, *state.state_json, {}});
  ++state.records;
}

uint64_t log_summary(agent_ptr self, history_summary summary) {
  auto& state = self->state;
  state.pending.log.push_back({{}, {}, {}, {std::move(summary)}});
  return ++state.records;
}

} // namespace troupe
