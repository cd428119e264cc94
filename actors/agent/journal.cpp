#include "troupe/actors/agent/journal.hpp"

#include <utility>

namespace troupe {

uint64_t log_message(agent_ptr self, const chat_message_ptr& message) {
  auto& state = self->state;
  if (message->temporary)
    return 0;
  state.pending.log.push_back({message, {}, {}});
  return ++state.records;
}

uint64_t add_message(agent_ptr self, chat_message_ptr message) {
  auto record = log_message(self, message);
  self->state.messages.push_back(std::move(message));
  return record;
}

void log_intent(agent_ptr self, size_t index) {
  auto& state = self->state;
  const auto& id = state.calls[index].call.id;
  auto before = uint32_t{0};
  for (size_t i = 0; i < index; ++i)
    before += state.calls[i].call.id == id ? 1 : 0;
  state.pending.log.push_back({{}, {id, before}, {}});
  ++state.records;
}

void log_run_state(agent_ptr self) {
  auto& state = self->state;
  state.pending.log.push_back({{}, {}, *state.state_json});
  ++state.records;
}

} // namespace troupe
