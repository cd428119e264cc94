#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/run/run_life.hpp"
#include "troupe/actors/workflow/workflow_conversation.hpp"
#include "troupe/actors/workflow/workflow_participants.hpp"
#include "troupe/actors/workflow/workflow_run.hpp"
#include "troupe/runtime/co/settle.hpp"

#include <utility>

namespace troupe {

namespace {

constexpr auto ending_key = co::frame_key{0, 3};

/// What was done must be safe before the run says what it came to.
co::task<run_outcome> settle_journal(workflow_ptr self, run_outcome outcome) {
  try {
    co_await sync(self);
  } catch (const co::failure& why) {
    outcome = run_outcome{run_status::failed, to_fault(why.reason()), {}};
  }
  co_return outcome;
}

/// A run whose time is up gives what it has; any other that did not get to its
/// end has no response.
void keep_what_exists(workflow_state& state, run_status end) {
  auto& object = state.record.object;
  object.output_json.clear();
  object.has_response = end == run_status::partial && state.last_answer;
  object.response = object.has_response ? std::move(*state.last_answer)
                                        : std::string{};
}

co::task<void> end_flow(workflow_ptr self, run_outcome outcome) {
  auto& state = self->state;
  publish(state);
  outcome = co_await settle_journal(self, std::move(outcome));
  // By now the workflow's frames are gone.
  co_await end_participants(self, outcome);
  auto left = state.running.take_lingering();
  co_await co::settle(self, std::move(left));
  if (state.sandbox && !state.has_lent_sandbox)
    co_await end_child(self, state.sandbox, "sandbox");
  state.sandbox = nullptr;
  if (state.spec.resources)
    co_await close_resources(self);
  if (outcome.status != run_status::completed)
    keep_what_exists(state, outcome.status);
  if (outcome.status == run_status::partial && state.record.object.has_response)
    show_answer(self);
  auto end = outcome.status;
  auto answer = leave_answer(self);
  leave_unheard(self, end);
  close_object(state, std::move(outcome));
  record_end(state, answer);
  co_await store_end(self);
  give_back_conversation(self);
  answer_unheard(self);
  announce_end(state);
  if (state.spec.registry)
    self->send(state.spec.registry, run_over{state.spec.run_id});
}

} // namespace

void begin_ending(workflow_ptr self, run_outcome outcome) {
  auto& state = self->state;
  if (std::exchange(state.is_ending, true))
    return;
  state.running.cancel(flow_key);
  state.running.cancel(helper_key);
  state.someone_works.set(); // nobody will: who waits for that is told
  state.running.spawn(self, ending_key, end_flow(self, std::move(outcome)));
}

} // namespace troupe
