#include "troupe/actors/agent/interjection.hpp"

#include "troupe/actors/agent/journal.hpp"
#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <utility>

namespace troupe {

namespace {

/// Puts it into the conversation and tells of it.
void record(agent_ptr self, unheard_interjection& one,
            interjection_outcome outcome) {
  auto message = chat_message{};
  message.role = message_role::user;
  message.text = one.what.text;
  message.blocks = one.what.blocks;
  message.at = now_micros();
  if (!one.what.mark.empty())
    self->state.pending.values.push_back(
      {one.what.mark, message.at, one.what.mark});
  one.outcome = outcome;
  auto added = add_message(self, std::move(message));
  add_event(self, interjection_event(one, added->record));
}

/// Throws where it says nothing, or shows what cannot be shown. A participant
/// of an assembly whose model cannot see it is told that, as with attachments.
void check(const agent_state& state, const interject& what) {
  if (what.text.empty() && what.blocks.empty())
    throw co::failure{errc::configuration, "there is nothing to say"};
  auto why = check_blocks(what.blocks);
  if (!why && has_run_session(state.spec))
    why = check_blocks(what.blocks, state.can);
  if (why)
    throw co::failure{std::move(why)};
}

} // namespace

co::task<interjection_end> hear(agent_ptr self, interject what) {
  auto& state = self->state;
  if (state.has_last_event)
    throw co::failure{too_late(state.record.object.status)};
  check(state, what);
  auto one = std::make_shared<unheard_interjection>();
  one->what = std::move(what);
  state.interjections.push_back(one);
  co_await one->is_settled.wait(self);
  if (one->lost)
    throw co::failure{one->lost};
  co_return interjection_end{one->outcome};
}

bool has_unheard(const agent_state& state) {
  return !state.interjections.empty();
}

void deliver_interjections(agent_ptr self) {
  auto all = std::exchange(self->state.interjections, {});
  for (const auto& one : all)
    record(self, *one, interjection_outcome::delivered);
  if (!all.empty())
    flush(self);
  for (const auto& one : all)
    one->is_settled.set();
}

void leave_interjections(agent_ptr self, run_status end) {
  auto& state = self->state;
  // One that waited for its turn to the end has no conversation to leave it in.
  auto can_keep = has_run_session(state.spec) && state.state_json
                  && end != run_status::suspended;
  for (const auto& one : state.interjections)
    if (can_keep)
      record(self, *one, interjection_outcome::next_input);
    else
      one->lost = too_late(end);
}

void answer_interjections(agent_ptr self) {
  auto& state = self->state;
  settle(std::exchange(state.interjections, {}), state.record.object);
}

} // namespace troupe
