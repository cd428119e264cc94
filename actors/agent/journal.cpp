#include "troupe/actors/agent/journal.hpp"

#include "troupe/runtime/co/request.hpp"

#include <utility>

namespace troupe {

session_key session_of(const agent_state& state) {
  return {state.spec.definition->settings.name, state.spec.request.session_id,
          state.spec.request.actor_id};
}

void store_message(agent_ptr self, const chat_message_ptr& message) {
  auto& state = self->state;
  self->send(state.spec.services->store,
             append_session{session_of(state), {message}, {}});
}

void add_message(agent_ptr self, chat_message_ptr message) {
  store_message(self, message);
  self->state.messages.push_back(std::move(message));
}

void store_run_state(agent_ptr self) {
  auto& state = self->state;
  self->send(state.spec.services->store,
             append_session{session_of(state), {}, *state.state_json});
}

co::task<void> sync(agent_ptr self) {
  auto& state = self->state;
  auto request = sync_store{session_of(state)};
  co_await co::request<done>(self, state.spec.services->store, caf::infinite,
                             std::move(request));
}

} // namespace troupe
