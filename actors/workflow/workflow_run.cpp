#include "troupe/actors/workflow/workflow_run.hpp"

#include "troupe/actors/run/follow_run.hpp"
#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/run/run_life.hpp"
#include "troupe/actors/workflow/helper_host.hpp"
#include "troupe/actors/workflow/workflow_conversation.hpp"
#include "troupe/actors/workflow/workflow_participants.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/run/run_budget.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <type_traits>
#include <utility>

namespace troupe {

namespace {

using workflow_self = std::remove_pointer_t<workflow_ptr>;

co::task<void> run_flow(workflow_ptr self) {
  auto& state = self->state;
  auto outcome = run_outcome{};
  try {
    if (!state.spec.is_step && !state.helpers)
      co_await take_conversation(self);
    co_await note_recovery(self);
    auto work = state.definition->body(context_of(self),
                                       state.spec.request.input);
    auto response = co_await work;
    auto& object = state.record.object;
    object.has_response = true;
    if (state.definition->gives_json)
      object.output_json = response;
    object.response = std::move(response);
    show_answer(self);
  } catch (...) { // becomes the run's outcome
    outcome.status = run_status::failed;
    outcome.why = to_fault(co::to_error(std::current_exception()));
  }
  if (state.spec.end_at_once)
    outcome = *state.spec.end_at_once;
  begin_ending(self, std::move(outcome));
}

/// Finds out what the run has stored, and what it was last brought.
void take_values(workflow_state& state) {
  if (!state.spec.earlier)
    return;
  auto brought_at = int64_t{0};
  for (const auto& value : state.spec.earlier->values) {
    if (value.name.starts_with(state.prefix))
      state.values[value.name.substr(state.prefix.size())] = value.body;
    if (!value.name.starts_with("resume/") || value.at < brought_at)
      continue;
    brought_at = value.at;
    state.resume_input = value.body;
  }
}

/// What the agent and all that work for it may use up.
budget_limits limits_of(const workflow_state& state) {
  auto limits = with_overrides(state.spec.services->settings.limits,
                               state.definition->main->settings.limits);
  return {limits.max_tool_calls, limits.max_tokens, limits.max_depth};
}

void become_host(workflow_state& state, workflow_spec& spec) {
  state.helpers = std::make_shared<helper_table>();
  state.helpers->agent = state.definition->main;
  state.budget = std::make_shared<run_budget>(limits_of(state),
                                              state.record.object.usage,
                                              state.spec.budget);
  state.more_tools = std::move(spec.more_tools);
  state.final_tool = std::move(spec.final_tool);
  // What its agent says is what the run says.
  state.answering = state.spec.place.path;
  state.has_streamed = true;
  if (!state.spec.is_step)
    open_own_step(state);
}

void start(workflow_ptr self, workflow_spec spec) {
  auto& state = self->state;
  state.definition = std::move(spec.definition);
  state.catalog = std::move(spec.catalog);
  begin_run(state, std::move(spec.run), state.definition->settings.kind,
            state.definition->settings.name);
  if (spec.sandbox) {
    state.sandbox = std::move(spec.sandbox->actor);
    state.policy = std::move(spec.sandbox->policy);
    state.has_lent_sandbox = true;
  }
  // No name of a value begins with the slash that a path is followed by.
  if (state.spec.is_step)
    state.prefix = "in/" + state.spec.place.path + "//";
  const auto& request = state.spec.request;
  state.invoked
    = shared<invocation>{invocation{state.spec.run_id, request.session_id,
                                    request.actor_id, request.context_json}};
  take_values(state);
  if (state.definition->main)
    become_host(state, spec);
  record_start(state);
  flush(self);
  // The agent of a host has a conversation to be left in order.
  if (state.spec.end_at_once && !state.helpers)
    begin_ending(self, *state.spec.end_at_once);
  else
    state.running.spawn(self, flow_key, run_flow(self));
}

} // namespace

void show_answer(workflow_ptr self) {
  auto& state = self->state;
  if (state.has_streamed)
    return;
  const auto& text = state.record.object.response;
  if (has_reader(state))
    add_event(self, event_type::text_delta, text);
  // What code puts together is nobody's message.
  if (!state.definition->members.empty())
    add_event(self, event_type::message_stop, text);
}

workflow_actor::behavior_type workflow_behavior(workflow_ptr self,
                                                workflow_spec spec) {
  start(self, std::move(spec));
  return {
    co::serve(self, answer_object<workflow_self>),
    co::serve(self, answer_events<workflow_self>),
    co::serve(self, answer_follower<workflow_self>),
    co::serve(self, pass_on_interjection),
    [self](const cancel_run& x) { take_cancel(self, x); },
    [self](expire_run) { begin_ending(self, expired_outcome()); },
    [self](const run_note& x) { take_note(self, x); },
    co::serve_cancel(self),
    co::serve(self, obey),
    [self](commit_run& x) { take_commit(self, x); },
    [self](sync_store& x) {
      flush_store_part(self);
      return self->delegate(self->state.spec.sink, std::move(x));
    },
  };
}

workflow_context context_of(workflow_ptr self) {
  auto where = std::make_shared<workflow_context::place>();
  where->self = self;
  return workflow_context{std::move(where)};
}

void throw_if(caf::error why) {
  if (why)
    throw co::failure{std::move(why)};
}

void claim_name(workflow_state& state, const std::string& name) {
  if (!state.used.insert(name).second)
    throw co::failure{errc::configuration,
                      "the workflow uses the name \"" + name + "\" twice"};
}

std::string next_name(workflow_state& state, const std::string& name) {
  auto count = ++state.counts[name];
  return count == 1 ? name : name + "#" + std::to_string(count);
}

void keep_value(workflow_state& state, const std::string& name,
                std::string text) {
  state.pending.values.push_back({state.prefix + name, now_micros(), text});
  state.values[name] = std::move(text);
}

} // namespace troupe
