#include "troupe/actors/workflow/workflow_agents.hpp"

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/workflow/workflow_files.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/run_recovery.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe {

namespace {

run_step& step_called(workflow_state& state, const std::string& name) {
  auto& steps = state.record.object.steps;
  auto found = std::find_if(steps.begin(), steps.end(),
                            [&](const auto& x) { return x.name == name; });
  if (found != steps.end())
    return *found;
  steps.push_back({steps.size() + 1, {}, name, run_status::running, 0, 0});
  return steps.back();
}

/// Has the store show what has become of the run's steps.
void store_steps(workflow_state& state) {
  state.pending.change
    = {{run_status::running, now_micros(), 0,
        encode_details(state.spec.request, state.record.object)}};
}

void add_step_event(workflow_ptr self, event_type type, const run_step& step) {
  auto event = run_event{};
  event.type = type;
  event.participant = step.participant;
  auto data = nlohmann::json{{"id", step.id}, {"name", step.name}};
  if (type == event_type::step_stop)
    data["status"] = to_string(step.status);
  event.data_json = dump_json(data);
  add_event(self, std::move(event));
}

void record_step_start(workflow_ptr self, const std::string& name,
                       const std::string& agent) {
  auto& step = step_called(self->state, name);
  step.participant = agent;
  step.status = run_status::running;
  step.ended_at = 0;
  if (step.started_at == 0)
    step.started_at = now_micros();
  add_step_event(self, event_type::step_start, step);
  store_steps(self->state);
}

void record_step_end(workflow_ptr self, agent_step& one) {
  auto& state = self->state;
  auto& step = step_called(state, one.name);
  step.status = one.object.status;
  step.ended_at = now_micros();
  if (one.object.status == run_status::completed)
    keep_value(state, "agent/" + one.name,
               dump_json(nlohmann::json(one.object.response)));
  auto& failures = state.record.object.cleanup_failures;
  for (const auto& failure : one.object.cleanup_failures)
    failures.push_back(one.name + ": " + failure);
  add_step_event(self, event_type::step_stop, step);
  store_steps(state);
}

void add_usage(run_usage& total, const run_usage& more) {
  total.tokens.input_tokens += more.tokens.input_tokens;
  total.tokens.output_tokens += more.tokens.output_tokens;
  total.tokens.cached_tokens += more.tokens.cached_tokens;
  total.model_requests += more.model_requests;
  total.tool_calls += more.tool_calls;
}

run_spec step_spec(workflow_ptr self, const std::string& agent,
                   const std::string& name, std::string prompt) {
  const auto& run = self->state.spec;
  auto result = run_spec{};
  result.services = run.services;
  result.sink = workflow_actor{self};
  result.is_step = true;
  result.request = run.request;
  result.request.agent = agent;
  result.request.agent_file.clear();
  result.request.input = std::move(prompt);
  result.request.session_id = run.run_id + "/" + name;
  result.request.with_events = false;
  result.run_id = run.run_id;
  result.epoch = run.epoch;
  result.has_fresh_session = !run.earlier;
  result.earlier = run.earlier;
  result.created_at = now_micros();
  result.deadline = run.deadline;
  return result;
}

/// An agent that names a sandbox has that one and no wider.
bool has_own_sandbox(const agent_definition& x) {
  return x.settings.sandbox || x.settings.workspace;
}

/// The agents that run have come to rest. If any waits for a person, so does
/// the run; what else it did goes on in its next leg.
void rest(workflow_ptr self) {
  auto& state = self->state;
  if (state.approvals.empty() || state.is_ending)
    return;
  auto outcome = run_outcome{};
  outcome.status = run_status::suspended;
  outcome.waits_for = {"approval", {}, std::move(state.approvals), {}};
  begin_ending(self, std::move(outcome));
}

/// Follows an agent to its end, whatever becomes of the coroutine that asked
/// for it.
co::task<void> follow(workflow_ptr self, std::shared_ptr<agent_step> one) {
  auto& state = self->state;
  auto asked = co::request<run_object>(self, one->actor, caf::infinite,
                                       await_run{});
  auto object = co_await co::as_expected(std::move(asked));
  if (object) {
    one->object = std::move(*object);
  } else {
    one->object.status = run_status::failed;
    one->object.error = to_fault(object.error());
  }
  one->actor = nullptr;
  record_step_end(self, *one);
  flush(self);
  std::erase(state.agents, one);
  for (auto& call : one->object.suspension.approvals)
    state.approvals.push_back(std::move(call));
  if (state.agents.empty()) {
    rest(self);
    state.agents_are_over.set();
  }
  one->is_over.set();
}

/// Wants the agent; when it goes before the agent has ended, nobody does.
class agent_wish {
public:
  agent_wish(workflow_ptr self, std::shared_ptr<agent_step> one)
    : self_(self),
      one_(std::move(one)) {
    // nop
  }

  agent_wish(const agent_wish&) = delete;
  agent_wish& operator=(const agent_wish&) = delete;

  ~agent_wish() {
    if (one_->actor && !self_->state.is_ending)
      self_->send(one_->actor, cancel_run{"nobody waits for it any more"});
  }

private:
  workflow_ptr self_;
  std::shared_ptr<agent_step> one_;
};

std::shared_ptr<agent_step> start_agent(workflow_ptr self, std::string name,
                                        agent_definition_ptr definition,
                                        agent_spec spec) {
  auto& state = self->state;
  auto result = std::make_shared<agent_step>();
  result->name = std::move(name);
  record_step_start(self, result->name, definition->settings.name);
  flush(self);
  result->actor = self->spawn(agent_behavior, std::move(spec));
  state.agents.push_back(result);
  state.agents_are_over.reset();
  state.running.spawn(self, agent_key, follow(self, result));
  return result;
}

std::string text_of(const std::string& json_text) {
  auto value = parse_json(json_text);
  return value && value->is_string() ? value->get<std::string>() : json_text;
}

/// Waits for the end of an agent, which its own limit brings about too.
co::task<void> await_agent(workflow_ptr self, std::shared_ptr<agent_step> one,
                           std::optional<caf::timespan> limit) {
  if (limit) {
    auto in_time = co_await one->is_over.wait_for(self, *limit);
    if (!in_time && one->actor)
      self->send(one->actor, expire_run{});
  }
  co_await one->is_over.wait(self);
}

} // namespace

co::task<std::string> do_agent(workflow_context flow, std::string agent,
                               std::string prompt) {
  auto self = flow.where().self;
  auto& state = self->state;
  auto definition = find_agent(*state.catalog, agent);
  auto place = flow.where().checkpoint;
  auto name = next_name(state, place.empty() ? agent : place + "/" + agent);
  auto known = state.values.find("agent/" + name);
  if (known != state.values.end())
    co_return text_of(known->second);
  auto spec = agent_spec{};
  if (!has_own_sandbox(*definition)) {
    auto files = co_await sandbox_of(flow);
    spec.sandbox = shared_sandbox{std::move(files), state.policy};
  }
  spec.run = step_spec(self, agent, name, std::move(prompt));
  spec.definition = definition;
  spec.has_reader = state.record.has_reader();
  auto one = start_agent(self, name, definition, std::move(spec));
  auto wish = agent_wish{self, one};
  co_await await_agent(self, one, definition->settings.limits.deadline);
  auto& object = one->object;
  if (object.status == run_status::suspended) // the run waits with it
    co_await state.next_leg.wait(self);
  if (object.status != run_status::completed)
    throw co::failure{make_error(object.error)};
  auto response = object.response;
  co_await sync(self);
  co_return response;
}

void take_commit(workflow_ptr self, commit_run& commit) {
  auto& state = self->state;
  if (state.record.is_over())
    return;
  flush_store_part(self); // it was there first
  for (auto& event : commit.events) {
    state.record.number(event);
    state.spec.services->feed->publish({state.key->run_id, &event});
    state.record.add(event);
  }
  std::erase_if(commit.events,
                [](const run_event& x) { return is_delta(x.type); });
  add_usage(state.record.object.usage, usage_of(commit.events));
  self->send(state.spec.services->store, std::move(commit));
  publish(state);
}

co::task<void> end_agents(workflow_ptr self, run_outcome outcome) {
  auto& state = self->state;
  for (const auto& one : state.agents) {
    if (outcome.status == run_status::partial)
      self->send(one->actor, expire_run{});
    else
      self->send(one->actor, cancel_run{outcome.why.message});
  }
  if (!state.agents.empty())
    co_await state.agents_are_over.wait(self);
}

} // namespace troupe
