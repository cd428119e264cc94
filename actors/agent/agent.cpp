#include "troupe/actors/agent/agent.hpp"

#include "troupe/actors/agent/conversation.hpp"
#include "troupe/actors/agent/ending.hpp"
#include "troupe/actors/agent/interjection.hpp"
#include "troupe/actors/agent/preparation.hpp"
#include "troupe/actors/run/follow_run.hpp"
#include "troupe/actors/run/run_life.hpp"
#include "troupe/runtime/co/serve.hpp"

#include <type_traits>
#include <utility>

namespace troupe {

namespace {

co::task<void> drive(agent_ptr self) {
  auto outcome = run_outcome{};
  try {
    co_await prepare_run(self);
    if (self->state.spec.end_at_once)
      outcome = *self->state.spec.end_at_once;
    else
      outcome.status = co_await converse(self);
  } catch (...) { // becomes the run's outcome
    outcome.status = run_status::failed;
    outcome.why = to_fault(co::to_error(std::current_exception()));
  }
  begin_ending(self, std::move(outcome));
}

void start(agent_ptr self, agent_spec spec) {
  auto& state = self->state;
  state.definition = std::move(spec.definition);
  state.lent = std::move(spec.sandbox);
  state.more_tools = std::move(spec.more_tools);
  state.final_tool = std::move(spec.final_tool);
  begin_run(state, std::move(spec.run), "agent",
            state.definition->settings.name);
  open_own_step(state);
  state.running.spawn(self, loop_key, drive(self));
}

} // namespace

run_actor::behavior_type agent_behavior(agent_ptr self, agent_spec spec) {
  start(self, std::move(spec));
  return {
    co::serve(self, answer_object<std::remove_pointer_t<agent_ptr>>),
    co::serve(self, answer_events<std::remove_pointer_t<agent_ptr>>),
    co::serve(self, answer_follower<std::remove_pointer_t<agent_ptr>>),
    co::serve(self, hear),
    [self](const cancel_run& x) { take_cancel(self, x); },
    [self](expire_run) { begin_ending(self, expired_outcome()); },
    [self](const run_note& x) { take_note(self, x); },
    co::serve_cancel(self),
  };
}

} // namespace troupe
