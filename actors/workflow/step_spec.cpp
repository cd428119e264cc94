#include "troupe/actors/workflow/step_spec.hpp"

#include "troupe/actors/workflow/helper_host.hpp"
#include "troupe/runtime/run/run_lease_time.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

step_place place_of(const workflow_state& state, const participant& who,
                    std::string path) {
  auto result = step_place{who.name, std::move(path),
                           state.spec.place.assemblies,
                           state.spec.place.agents};
  auto& around = state.helpers ? result.agents : result.assemblies;
  if (!state.spec.is_step)
    around.push_back(state.definition->settings.name);
  auto& itself = who.what.workflow ? result.assemblies : result.agents;
  itself.push_back(who.name);
  return result;
}

/// What every part of a run has of it.
run_spec part_spec(workflow_ptr self, std::string input) {
  auto& state = self->state;
  const auto& run = state.spec;
  auto result = run_spec{};
  result.services = run.services;
  result.sink = workflow_actor{self};
  result.is_step = true;
  result.reader_mark = run.is_step ? run.reader_mark
                                   : state.record.reader_mark();
  result.request = run.request;
  result.request.input = std::move(input);
  result.request.with_events = false;
  result.run_id = run.run_id;
  result.epoch = run.epoch;
  result.earlier = run.earlier;
  result.created_at = now_micros();
  result.deadline = run.deadline;
  result.depth = run.depth;
  result.budget = state.budget ? state.budget : run.budget;
  return result;
}

} // namespace

std::string path_in(const workflow_state& state, const std::string& name) {
  const auto& outer = state.spec.place.path;
  return outer.empty() ? name : outer + "/" + name;
}

run_spec step_spec(workflow_ptr self, const participant& who,
                   const std::string& name, const participant_order& order) {
  const auto& state = self->state;
  auto result = part_spec(self, order.input);
  result.place = place_of(state, who, path_in(state, name));
  const auto& where = order.turn ? order.turn->conversation : name;
  result.request.session_id = state.spec.run_id + "/" + path_in(state, where);
  result.request.agent = who.what.name();
  result.request.agent_file.clear();
  if (!who.has_context)
    result.request.context_json = "{}";
  result.has_fresh_session = !state.spec.earlier && where == name;
  if (order.turn)
    result.input_mark = state.prefix + "said/" + name;
  if (state.helpers) { // these know what they are told
    ++result.depth;
    result.request.attachments.clear();
  }
  return result;
}

run_spec main_spec(workflow_ptr self, std::string input) {
  const auto& run = self->state.spec;
  auto result = part_spec(self, std::move(input));
  result.place = run.place;
  result.has_fresh_session = run.has_fresh_session;
  result.input_mark = run.is_step ? run.input_mark : std::string{input_value};
  result.host = workflow_actor{self};
  result.end_at_once = run.end_at_once;
  return result;
}

bool has_own_sandbox(const run_definition& x) {
  if (x.workflow)
    return x.workflow->settings.sandbox || x.workflow->settings.workspace;
  return x.agent->settings.sandbox || x.agent->settings.workspace;
}

bool may_need_sandbox(const run_definition& x) {
  if (x.workflow || x.agent->helpers || !x.agent->settings.produces.empty())
    return true;
  return std::any_of(x.agent->tools.begin(), x.agent->tools.end(),
                     [](const compiled_tool& one) {
                       return one.definition.spec().uses_sandbox;
                     });
}

run_actor spawn_step(workflow_ptr self, const participant& who, run_spec run,
                     std::optional<shared_sandbox> sandbox) {
  auto is_hosted = who.what.agent && who.what.agent->helpers;
  if (who.what.workflow || is_hosted) {
    auto spec = workflow_spec{};
    spec.run = std::move(run);
    spec.definition = is_hosted ? host_definition(who.what.agent)
                                : who.what.workflow;
    spec.catalog = self->state.catalog;
    spec.sandbox = std::move(sandbox);
    spec.more_tools = who.more_tools;
    spec.final_tool = who.final_tool;
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

run_actor spawn_main(workflow_ptr self, const agent_definition_ptr& agent,
                     run_spec run, std::optional<shared_sandbox> sandbox) {
  auto spec = agent_spec{};
  spec.run = std::move(run);
  spec.definition = agent;
  spec.sandbox = std::move(sandbox);
  spec.more_tools = self->state.more_tools;
  spec.final_tool = self->state.final_tool;
  return self->spawn(agent_behavior, std::move(spec));
}

} // namespace troupe
