#include "troupe/actors/workflow/workflow_participants.hpp"

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/run/run_steps.hpp"
#include "troupe/actors/workflow/workflow_files.hpp"
#include "troupe/runtime/assembly/graph_plan.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/run_recovery.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace troupe {

namespace {

void add_usage(run_usage& total, const run_usage& more) {
  total.tokens.input_tokens += more.tokens.input_tokens;
  total.tokens.output_tokens += more.tokens.output_tokens;
  total.tokens.cached_tokens += more.tokens.cached_tokens;
  total.model_requests += more.model_requests;
  total.tool_calls += more.tool_calls;
}

/// The name of a step among all of the run.
std::string path_in(const workflow_state& state, const std::string& name) {
  const auto& outer = state.spec.place.path;
  return outer.empty() ? name : outer + "/" + name;
}

step_place place_of(const workflow_state& state, const participant& who,
                    std::string path) {
  auto result = step_place{who.name, std::move(path),
                           state.spec.place.assemblies,
                           state.spec.place.agents};
  if (!state.spec.is_step)
    result.assemblies.push_back(state.definition->settings.name);
  if (who.what.workflow)
    result.assemblies.push_back(who.name);
  else
    result.agents.push_back(who.name);
  return result;
}

run_spec step_spec(workflow_ptr self, const participant& who,
                   const std::string& name, std::string input) {
  const auto& state = self->state;
  const auto& run = state.spec;
  auto result = run_spec{};
  result.services = run.services;
  result.sink = workflow_actor{self};
  result.is_step = true;
  result.place = place_of(state, who, path_in(state, name));
  result.has_reader = run.has_reader || state.record.has_reader();
  result.request = run.request;
  result.request.agent = who.what.name();
  result.request.agent_file.clear();
  result.request.input = std::move(input);
  result.request.session_id = run.run_id + "/" + result.place.path;
  result.request.with_events = false;
  if (!who.has_context)
    result.request.context_json.clear();
  result.run_id = run.run_id;
  result.epoch = run.epoch;
  result.has_fresh_session = !run.earlier;
  result.earlier = run.earlier;
  result.created_at = now_micros();
  result.deadline = run.deadline;
  return result;
}

/// Who names a sandbox has that one and no wider.
bool has_own_sandbox(const run_definition& x) {
  if (x.workflow)
    return x.workflow->settings.sandbox || x.workflow->settings.workspace;
  return x.agent->settings.sandbox || x.agent->settings.workspace;
}

/// What is stored of a participant that has answered.
std::string answer_json(const participant_answer& x) {
  if (x.final_call_json.empty() && x.output_json.empty())
    return dump_json(nlohmann::json(x.text));
  auto value = nlohmann::json{{"text", x.text}};
  if (!x.final_call_json.empty())
    value["final_call"] = x.final_call_json;
  if (!x.output_json.empty())
    value["output"] = x.output_json;
  return dump_json(value);
}

participant_answer answer_from(const std::string& json_text) {
  auto value = parse_json(json_text);
  if (!value)
    return {json_text};
  if (value->is_string())
    return {value->get<std::string>()};
  return {value->value("text", std::string{}),
          value->value("final_call", std::string{}),
          value->value("output", std::string{})};
}

participant_answer answer_of(const run_object& x) {
  return {x.response, x.final_call_json, x.output_json};
}

void record_stop(workflow_ptr self, participant_step& one) {
  auto& state = self->state;
  auto& object = one.object;
  if (object.status == run_status::completed)
    keep_value(state, "agent/" + one.name, answer_json(answer_of(object)));
  auto& failures = state.record.object.cleanup_failures;
  for (const auto& failure : object.cleanup_failures)
    failures.push_back(one.name + ": " + failure);
  record_step_stop(state, path_in(state, one.name), one.participant,
                   object.status,
                   object.has_error ? to_string(object.error.kind) : "");
}

/// The participants that run have come to rest. If any waits, for a person or
/// for input, so does the run; what else it did goes on in its next leg.
void rest(workflow_ptr self) {
  auto& state = self->state;
  if (state.is_ending || (state.approvals.empty() && !state.waits_for))
    return;
  auto outcome = run_outcome{};
  outcome.status = run_status::suspended;
  if (state.approvals.empty())
    outcome.waits_for = std::move(*state.waits_for);
  else
    outcome.waits_for = {"approval", {}, std::move(state.approvals), {}};
  begin_ending(self, std::move(outcome));
}

/// What a participant that has stopped waits for.
void take_suspension(workflow_state& state, run_object& object) {
  if (object.status != run_status::suspended)
    return;
  auto& waits_for = object.suspension;
  if (waits_for.approvals.empty() && !state.waits_for)
    state.waits_for = std::move(waits_for);
  else
    for (auto& call : waits_for.approvals)
      state.approvals.push_back(std::move(call));
}

/// Follows a participant to its end, whatever becomes of the coroutine that
/// asked it.
co::task<void> follow(workflow_ptr self,
                      std::shared_ptr<participant_step> one) {
  auto& state = self->state;
  auto asked = co::request<run_object>(self, one->actor, caf::infinite,
                                       await_run{});
  auto object = co_await co::as_expected(std::move(asked));
  if (object) {
    one->object = std::move(*object);
  } else {
    one->object.status = run_status::failed;
    one->object.has_error = true;
    one->object.error = to_fault(object.error());
  }
  one->actor = nullptr;
  record_stop(self, *one);
  flush(self);
  std::erase(state.active, one);
  take_suspension(state, one->object);
  if (state.active.empty()) {
    rest(self);
    state.all_over.set();
  }
  one->is_over.set();
}

/// Wants an answer; when it goes before there is one, nobody does.
class answer_wish {
public:
  answer_wish(workflow_ptr self, std::shared_ptr<participant_step> one)
    : self_(self),
      one_(std::move(one)) {
    // nop
  }

  answer_wish(const answer_wish&) = delete;
  answer_wish& operator=(const answer_wish&) = delete;

  ~answer_wish() {
    if (one_->actor && !self_->state.is_ending)
      self_->send(one_->actor, cancel_run{"nobody waits for it any more"});
  }

private:
  workflow_ptr self_;
  std::shared_ptr<participant_step> one_;
};

run_actor spawn_step(workflow_ptr self, const participant& who, run_spec run,
                     std::optional<shared_sandbox> sandbox) {
  if (who.what.workflow) {
    auto spec = workflow_spec{};
    spec.run = std::move(run);
    spec.definition = who.what.workflow;
    spec.catalog = self->state.catalog;
    spec.sandbox = std::move(sandbox);
    return self->spawn(workflow_behavior, std::move(spec));
  }
  auto spec = agent_spec{};
  spec.run = std::move(run);
  spec.definition = who.what.agent;
  spec.sandbox = std::move(sandbox);
  spec.more_tools = who.more_tools;
  spec.final_tool = who.final_tool;
  return self->spawn(agent_behavior, std::move(spec));
}

/// The steps that led to the next one: the last ones of the participants
/// `before`, or that which this assembly is itself.
std::vector<std::string> steps_before(const workflow_state& state,
                                      const std::vector<std::string>& before) {
  auto result = std::vector<std::string>{};
  for (const auto& name : before)
    if (auto found = state.last_steps.find(name);
        found != state.last_steps.end())
      result.push_back(found->second);
  if (result.empty() && !state.spec.place.path.empty())
    result.push_back(state.spec.place.path);
  return result;
}

std::shared_ptr<participant_step>
start_step(workflow_ptr self, const participant& who, std::string name,
           participant_order order, std::optional<shared_sandbox> sandbox) {
  auto& state = self->state;
  auto result = std::make_shared<participant_step>();
  result->name = std::move(name);
  result->participant = who.name;
  auto path = path_in(state, result->name);
  record_step_start(state, path, who.name, steps_before(state, order.before));
  state.last_steps[who.name] = std::move(path);
  flush(self);
  auto run = step_spec(self, who, result->name, std::move(order.input));
  result->actor = spawn_step(self, who, std::move(run), std::move(sandbox));
  state.active.push_back(result);
  state.all_over.reset();
  state.running.spawn(self, participant_key, follow(self, result));
  return result;
}

/// Waits for the end of a step, which its own limit brings about too.
co::task<void> await_step(workflow_ptr self,
                          std::shared_ptr<participant_step> one,
                          std::optional<caf::timespan> limit) {
  if (limit) {
    auto in_time = co_await one->is_over.wait_for(self, *limit);
    if (!in_time && one->actor)
      self->send(one->actor, expire_run{});
  }
  co_await one->is_over.wait(self);
}

std::optional<caf::timespan> limit_of(const participant& who) {
  auto own = who.what.deadline();
  if (!own || (who.timeout && *who.timeout < *own))
    return who.timeout;
  return own;
}

co::task<std::optional<shared_sandbox>> sandbox_for(workflow_context flow,
                                                    participant_ptr who) {
  if (has_own_sandbox(who->what))
    co_return std::nullopt;
  auto files = co_await sandbox_of(flow);
  co_return shared_sandbox{std::move(files), flow.where().self->state.policy};
}

/// One try. Throws why there is no answer.
co::task<participant_answer> try_participant(workflow_context flow,
                                             participant_ptr who,
                                             participant_order order) {
  auto self = flow.where().self;
  auto& state = self->state;
  const auto& place = flow.where().checkpoint;
  auto name = next_name(state,
                        place.empty() ? who->name : place + "/" + who->name);
  auto known = state.values.find("agent/" + name);
  if (known != state.values.end()) {
    state.last_steps[who->name] = path_in(state, name);
    co_return answer_from(known->second);
  }
  auto sandbox = co_await sandbox_for(flow, who);
  if (order.is_answer)
    state.answering = path_in(state, name);
  auto one = start_step(self, *who, std::move(name), std::move(order),
                        std::move(sandbox));
  auto wish = answer_wish{self, one};
  co_await await_step(self, one, limit_of(*who));
  auto& object = one->object;
  if (object.status == run_status::suspended) // the run waits with it
    co_await state.next_leg.wait(self);
  if (object.status != run_status::completed)
    throw co::failure{make_error(object.error)};
  auto answer = answer_of(object);
  co_await sync(self);
  co_return answer;
}

} // namespace

co::task<participant_answer> ask_participant(workflow_context flow,
                                             participant_ptr who,
                                             participant_order order) {
  for (auto left = who->retries;; --left) {
    auto failed = caf::error{};
    try {
      co_return co_await try_participant(flow, who, order);
    } catch (const co::failure& why) {
      failed = why.reason();
    }
    if (left == 0 || !is_kind_among(to_fault(failed).kind, who->retry_on))
      throw co::failure{std::move(failed)};
    order.before = {who->name}; // its last try
  }
}

co::task<std::string> do_agent(workflow_context flow, std::string agent,
                               std::string prompt) {
  auto self = flow.where().self;
  auto who = participant{};
  who.name = agent;
  auto request = run_request{};
  request.agent = std::move(agent);
  request.input = prompt;
  who.what = find_definition(*self->state.catalog, request);
  auto asked = ask_participant(flow, std::make_shared<participant>(who),
                               {std::move(prompt)});
  auto answer = co_await asked;
  co_return answer.text;
}

namespace {

/// Whether an event comes from the participant whose answer is the run's.
bool is_from_answering(const workflow_state& state, const run_event& event) {
  if (state.answering.empty() || !event.source)
    return false;
  const auto& from = event.source->operation;
  return from == state.answering || from.starts_with(state.answering + "/");
}

/// Whether those who see the run's own stream see an event as the run's too.
bool is_public(const run_event& event) {
  return event.is_answer
         && (is_delta(event.type) || event.type == event_type::message_stop);
}

/// Gives an event its place in the run.
void place_event(workflow_state& state, run_event event,
                 std::vector<run_event>& stored) {
  state.record.number(event);
  state.spec.services->feed->publish({state.key->run_id, &event});
  state.record.add(event);
  if (!is_delta(event.type))
    stored.push_back(std::move(event));
}

} // namespace

void take_commit(workflow_ptr self, commit_run& commit) {
  auto& state = self->state;
  if (state.record.is_over())
    return;
  for (auto& event : commit.events) {
    event.is_answer = event.is_answer && is_from_answering(state, event);
    take_step(state, event);
  }
  flush_store_part(self); // it was there first
  add_usage(state.record.object.usage, usage_of(commit.events));
  if (state.spec.is_step) {
    self->send(state.spec.sink, std::move(commit));
    return;
  }
  for (auto& event : std::exchange(commit.events, {})) {
    auto answer = is_public(event) ? std::optional{event} : std::nullopt;
    place_event(state, std::move(event), commit.events);
    if (!answer)
      continue;
    answer->source = {};
    state.has_streamed = true;
    place_event(state, std::move(*answer), commit.events);
  }
  self->send(state.spec.services->store, std::move(commit));
  publish(state);
}

co::task<void> end_participants(workflow_ptr self, run_outcome outcome) {
  auto& state = self->state;
  for (const auto& one : state.active) {
    if (outcome.status == run_status::partial)
      self->send(one->actor, expire_run{});
    else
      self->send(one->actor, cancel_run{outcome.why.message});
  }
  if (!state.active.empty())
    co_await state.all_over.wait(self);
}

} // namespace troupe
