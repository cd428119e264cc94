#include "troupe/actors/agent/agent.hpp"

#include "troupe/actors/agent/conversation.hpp"
#include "troupe/actors/agent/ending.hpp"
#include "troupe/actors/agent/preparation.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/run/timestamp.hpp"

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

co::task<run_object> answer_object(agent_ptr self, await_run) {
  auto& record = self->state.record;
  co_await record.over.wait(self);
  co_return record.object;
}

co::task<run_event_batch> answer_events(agent_ptr self, pull_run_events) {
  auto& record = self->state.record;
  while (!record.is_readable())
    co_await record.readable.wait(self);
  co_return record.take();
}

void begin(run_object& object, const agent_spec& spec) {
  object.run_id = spec.run_id;
  object.name = spec.definition->settings.name;
  object.status = run_status::running;
  object.session_id = spec.request.session_id;
  object.actor_id = spec.request.actor_id;
  object.input = spec.request.input;
  object.created_at = spec.created_at;
  object.started_at = now_micros();
  object.steps.push_back(
    {1, object.name, run_status::running, object.started_at, 0});
}

/// Takes up what the last owner left.
void go_on(run_record& record, const earlier_run& earlier) {
  auto& object = record.object;
  object = earlier.object;
  object.status = run_status::running;
  object.suspension = {};
  object.has_error = false;
  object.error = {};
  object.ended_at = 0;
  if (object.started_at == 0)
    object.started_at = now_micros();
  if (object.steps.empty())
    object.steps.push_back(
      {1, object.name, run_status::running, object.started_at, 0});
  object.steps.back().status = run_status::running;
  object.steps.back().ended_at = 0;
  record.go_on_after(earlier.events);
}

void start(agent_ptr self, agent_spec spec) {
  auto& state = self->state;
  if (spec.earlier)
    go_on(state.record, *spec.earlier);
  else
    begin(state.record.object, spec);
  if (spec.request.with_events)
    state.record.keep_events();
  state.key = shared<run_key>{
    run_key{spec.run_id,
            spec.epoch,
            {spec.definition->settings.name, spec.request.session_id,
             spec.request.actor_id}}};
  state.spec = std::move(spec);
  state.spec.services->feed->publish(
    {state.spec.run_id, nullptr, run_status::running});
  state.running.spawn(self, loop_key, drive(self));
}

} // namespace

run_actor::behavior_type agent_behavior(agent_ptr self, agent_spec spec) {
  start(self, std::move(spec));
  return {
    co::serve(self, answer_object),
    co::serve(self, answer_events),
    [self](const cancel_run& x) {
      auto reason = x.reason.empty() ? "the run was cancelled" : x.reason;
      auto why = fault{};
      why.kind = errc::cancelled;
      why.message = reason;
      begin_ending(self, {run_status::cancelled, std::move(why)});
    },
    [self](expire_run) {
      auto why = fault{};
      why.kind = errc::timeout;
      why.message = "the run's deadline has passed";
      begin_ending(self, {run_status::partial, std::move(why)});
    },
    co::serve_cancel(self),
  };
}

} // namespace troupe
