#include "troupe/actors/workflow/workflow_conversation.hpp"

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/runtime/run/run_lease_time.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <utility>

namespace troupe {

namespace {

chat_message_ptr say(workflow_ptr self, message_role role, std::string text,
                     std::vector<content_block> blocks = {}) {
  auto& state = self->state;
  auto message = chat_message{};
  message.role = role;
  message.text = std::move(text);
  message.blocks = std::move(blocks);
  message.at = now_micros();
  message.record = ++state.records;
  auto result = chat_message_ptr{std::move(message)};
  state.pending.log.push_back({result, {}, {}, {}});
  state.said.push_back(result);
  return result;
}

} // namespace

co::task<void> take_conversation(workflow_ptr self) {
  auto& state = self->state;
  auto request = open_turn{state.key->session, state.spec.run_id,
                           state.spec.has_fresh_session,
                           state.spec.earlier != nullptr, state.spec.epoch};
  state.has_turn = true;
  auto asked = co::request<session_turn>(self, state.spec.services->sessions,
                                         caf::infinite, std::move(request));
  auto turn = co_await asked;
  state.said = std::move(turn.messages);
  state.session_state = std::move(turn.state_json);
  state.records = turn.records;
  if (state.spec.earlier && state.spec.earlier->has_input)
    co_return;
  auto said = say(self, message_role::user, state.spec.request.input,
                  state.spec.request.attachments);
  state.pending.values.push_back({input_value, said->at, {}});
}

uint64_t leave_answer(workflow_ptr self) {
  auto& state = self->state;
  const auto& object = state.record.object;
  if (!state.session_state || !object.has_response)
    return 0;
  return say(self, message_role::assistant, object.response)->record;
}

void leave_unheard(workflow_ptr self, run_status end) {
  auto& state = self->state;
  for (const auto& one : state.unheard_said) {
    // One that waited for its turn to the end has no conversation.
    if (!state.session_state || end == run_status::suspended) {
      one->lost = too_late(end);
      continue;
    }
    auto said = say(self, message_role::user, one->what.text, one->what.blocks);
    one->outcome = interjection_outcome::next_input;
    add_event(self, interjection_event(*one, said->record));
  }
}

void answer_unheard(workflow_ptr self) {
  auto& state = self->state;
  settle(std::exchange(state.unheard_said, {}), state.record.object);
}

void give_back_conversation(workflow_ptr self) {
  auto& state = self->state;
  if (!state.has_turn)
    return;
  const auto& object = state.record.object;
  auto turn = close_turn{};
  turn.key = state.key->session;
  turn.run_id = state.spec.run_id;
  turn.keep = object.status != run_status::suspended
              && object.error.kind != errc::storage && state.session_state;
  turn.messages = std::move(state.said);
  turn.state_json = state.session_state.value_or("{}");
  turn.records = state.records;
  self->send(state.spec.services->sessions, std::move(turn));
}

} // namespace troupe
