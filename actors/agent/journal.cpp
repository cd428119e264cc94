#include "troupe/actors/agent/journal.hpp"

#include "troupe/runtime/co/request.hpp"

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

void add_event(agent_ptr self, run_event event) {
  auto& state = self->state;
  state.record.number(event);
  state.spec.services->feed->publish({state.key->run_id, &event});
  if (!is_delta(event.type))
    state.pending.events.push_back(event);
  state.record.add(std::move(event));
}

void add_event(agent_ptr self, event_type type, std::string text) {
  auto event = run_event{};
  event.type = type;
  event.text = std::move(text);
  add_event(self, std::move(event));
}

void flush_store_part(agent_ptr self) {
  auto& state = self->state;
  auto& pending = state.pending;
  auto is_empty = pending.begin.empty() && pending.log.empty()
                  && pending.events.empty() && pending.values.empty()
                  && pending.artifacts.empty() && pending.change.empty();
  if (is_empty)
    return;
  pending.run = state.key;
  self->send(state.spec.services->store, std::exchange(pending, {}));
}

void flush(agent_ptr self) {
  flush_store_part(self);
  self->state.record.publish();
}

co::task<void> sync(agent_ptr self) {
  flush_store_part(self);
  auto& state = self->state;
  auto request = co::request<done>(self, state.spec.services->store,
                                   caf::infinite, sync_store{state.key});
  co_await request;
}

} // namespace troupe
