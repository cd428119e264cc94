#include "troupe/actors/agent/journal.hpp"

#include "troupe/runtime/co/request.hpp"

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
