#include "troupe/actors/workflow/helper_host.hpp"

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/workflow/helper_record.hpp"
#include "troupe/actors/workflow/step_spec.hpp"
#include "troupe/actors/workflow/workflow_participants.hpp"
#include "troupe/runtime/run/run_budget.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace troupe {

namespace {

std::string turn_name(const helper& one) {
  if (one.turn == 1)
    return one.id;
  return one.id + "#" + std::to_string(one.turn);
}

void tell(workflow_ptr self) {
  self->state.helpers->changed.set();
}

void store_helper(workflow_ptr self, const helper& one) {
  keep_value(self->state, "helper/" + one.id, helper_json(one));
}

/// Who is behind a kind or a tool, with its definition.
participant_ptr find_helper(const workflow_state& state,
                            const std::string& kind, bool is_subagent,
                            const std::string& input) {
  const auto& set = *state.helpers->agent->helpers;
  const auto& all = is_subagent ? set.kinds : set.by_tool;
  auto found = all.find(kind);
  if (found == all.end())
    throw co::failure{errc::configuration,
                      "\"" + kind + "\" works for nobody any more"};
  auto result = found->second.who;
  if (!found->second.named.empty()) {
    auto request = run_request{};
    request.agent = found->second.named;
    request.input = input;
    // Files are named by paths, and have agents that name themselves.
    if (request.agent.find('/') != std::string::npos)
      request.agent_file = request.agent;
    result.what = request.agent_file.empty()
                    ? find_definition(*state.catalog, request)
                    : find_definition(*state.catalog, request, "agent");
  }
  return std::make_shared<const participant>(std::move(result));
}

/// Runs one turn of a helper to its end.
co::task<void> run_turn(workflow_ptr self, helper_ptr one) {
  auto order = participant_order{};
  order.input = one->input;
  order.turn = step_turn{turn_name(*one), one->id};
  auto failed = caf::error{};
  try {
    auto asked = ask_participant(context_of(self), one->who, std::move(order));
    one->answer = co_await asked;
  } catch (...) { // becomes what its parent is told
    failed = co::to_error(std::current_exception());
  }
  one->is_at_work = false;
  if (one->status == helper_status::stopped) { // and that is stored
    tell(self);
    co_return;
  }
  one->status = failed ? helper_status::failed : helper_status::completed;
  if (failed)
    one->why = to_fault(failed);
  store_helper(self, *one);
  flush(self);
  tell(self);
}

void begin_turn(workflow_ptr self, const helper_ptr& one) {
  auto& state = self->state;
  one->status = helper_status::running;
  one->is_at_work = true;
  one->at_work_since = now_micros();
  store_helper(self, *one);
  state.running.spawn(self, helper_key, run_turn(self, one));
}

/// Has those go on that were at work when the last leg of the run ended.
void take_up_helpers(workflow_ptr self) {
  auto& state = self->state;
  auto& table = *state.helpers;
  for (const auto& [name, text] : state.values) {
    if (!name.starts_with("helper/"))
      continue;
    auto one = std::make_shared<helper>(helper_from(text));
    one->id = name.substr(std::string_view{"helper/"}.size());
    ++table.counts[one->kind];
    table.all[one->id] = std::move(one);
  }
  for (const auto& [id, one] : table.all) {
    auto is_gone = one->status == helper_status::failed
                   || one->status == helper_status::stopped;
    if (is_gone)
      continue;
    one->who = find_helper(state, one->kind, one->is_subagent, one->input);
    begin_turn(self, one); // one that is complete has its answer at once
  }
}

/// Runs the agent itself, with those that work for it.
co::task<std::string> run_hosted(workflow_context flow, std::string input) {
  auto self = flow.where().self;
  auto& state = self->state;
  if (!state.spec.end_at_once)
    take_up_helpers(self);
  auto asked = ask_main(flow, state.helpers->agent, std::move(input));
  auto answer = co_await asked;
  state.record.object.final_call_json = std::move(answer.final_call_json);
  state.record.object.output_json = std::move(answer.output_json);
  co_return answer.text;
}

} // namespace

workflow_definition_ptr host_definition(agent_definition_ptr agent) {
  auto result = std::make_shared<workflow_definition>();
  const auto& settings = agent->settings;
  result->settings.name = settings.name;
  result->settings.description = settings.description;
  result->settings.kind = "agent";
  result->settings.source = settings.source;
  result->settings.sandbox = settings.sandbox;
  result->settings.workspace = settings.workspace;
  result->settings.deadline = settings.limits.deadline;
  result->body = run_hosted;
  result->main = std::move(agent);
  return result;
}

void note_step(workflow_ptr self, const participant_step& step) {
  if (!self->state.helpers)
    return;
  for (const auto& [id, one] : self->state.helpers->all)
    if (one->status == helper_status::running && turn_name(*one) == step.name
        && step.object.status == run_status::suspended) {
      one->status = helper_status::waiting;
      store_helper(self, *one);
    }
  tell(self);
}

helper_ptr start_helper(workflow_ptr self, const std::string& kind,
                        bool is_subagent, std::string input,
                        const std::string& call) {
  auto& table = *self->state.helpers;
  auto one = std::make_shared<helper>();
  one->kind = kind;
  one->is_subagent = is_subagent;
  one->who = find_helper(self->state, kind, is_subagent, input);
  one->input = std::move(input);
  one->id = kind + "-" + std::to_string(++table.counts[kind]);
  table.all[one->id] = one;
  keep_value(self->state, call, one->id);
  begin_turn(self, one);
  return one;
}

void go_on(workflow_ptr self, const helper_ptr& one, std::string input,
           const std::string& call) {
  ++one->turn;
  one->input = std::move(input);
  keep_value(self->state, call, one->id);
  begin_turn(self, one);
}

co::task<void> await_helper(workflow_ptr self, helper_ptr one) {
  auto& changed = self->state.helpers->changed;
  while (one->status == helper_status::running) {
    changed.reset();
    co_await changed.wait(self);
  }
}

std::shared_ptr<participant_step> step_of(const workflow_state& state,
                                          const helper& one) {
  auto name = turn_name(one);
  for (const auto& step : state.active)
    if (step->name == name && step->actor)
      return step;
  return nullptr;
}

namespace {

/// Nobody needs to decide any more what it waits for.
void forget_approvals(workflow_state& state, const helper& one) {
  auto session = state.spec.run_id + "/" + path_in(state, one.id);
  std::erase_if(state.approvals, [&](const pending_approval& x) {
    return x.session_id == session || x.session_id.starts_with(session + "/");
  });
}

} // namespace

co::task<void> stop_helper(workflow_ptr self, helper_ptr one) {
  auto& state = self->state;
  auto is_at_work = one->status == helper_status::running;
  // Nobody takes what it says from here on for its answer.
  one->status = helper_status::stopped;
  forget_approvals(state, *one);
  store_helper(self, *one);
  tell(self);
  if (!is_at_work) // what waits has no actor any more
    co_return;
  while (one->is_at_work) {
    if (auto step = step_of(state, *one))
      self->send(step->actor, cancel_run{"stopped by who it worked for"});
    state.helpers->changed.reset();
    co_await state.helpers->changed.wait(self);
  }
}

} // namespace troupe
