#include "troupe/actors/agent/preparation.hpp"

#include "troupe/actors/agent/journal.hpp"
#include "troupe/actors/agent/result_turn.hpp"
#include "troupe/actors/run/run_life.hpp"
#include "troupe/actors/tools/is_offered.hpp"
#include "troupe/actors/workflow/helper_set.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/prompt/template_text.hpp"
#include "troupe/runtime/run/run_attachments.hpp"
#include "troupe/runtime/run/run_lease_time.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

const agent_settings& declared(const agent_state& state) {
  return state.definition->settings;
}

permission_mode mode_from(const std::string& name) {
  if (name == "auto")
    return permission_mode::auto_allow;
  if (name == "ask")
    return permission_mode::ask;
  if (name == "approve")
    return permission_mode::approve;
  if (name == "read_only")
    return permission_mode::read_only;
  throw co::failure{errc::configuration,
                    "\"" + name
                      + "\" is no permission mode: read_only, auto, ask or "
                        "approve"};
}

void settle_rules(agent_state& state) {
  const auto& all = state.spec.services->settings;
  const auto& agent = declared(state);
  state.limits = with_overrides(all.limits, agent.limits);
  state.permissions = agent.permissions ? *agent.permissions : all.permissions;
  if (!state.spec.request.permission_mode.empty())
    state.permissions.mode = mode_from(state.spec.request.permission_mode);
}

/// The name of the value that says that the input is in the conversation;
/// empty: what is there at all begins with it.
std::string mark_of(const agent_state& state) {
  return state.spec.is_step ? state.spec.input_mark : std::string{input_value};
}

/// The record of the input where an earlier leg of the run put it there; 0: it
/// did not say which.
std::optional<uint64_t> earlier_input(const agent_state& state) {
  const auto& earlier = state.spec.earlier;
  auto mark = mark_of(state);
  if (!earlier || mark.empty())
    return std::nullopt;
  if (mark == input_value)
    return earlier->has_input ? std::optional{earlier->input_record}
                              : std::nullopt;
  for (const auto& value : earlier->values)
    if (value.name == mark)
      return input_record_in(value.body);
  return std::nullopt;
}

/// The limits of a step hold for all of its conversation, or for what has its
/// own mark there, since that.
void count_earlier(agent_state& state) {
  auto& usage = state.record.object.usage;
  auto since = earlier_input(state);
  if (!since && !state.spec.input_mark.empty())
    return;
  for (const auto& message : state.messages)
    if (message->record < since.value_or(0))
      continue;
    else if (message->role == message_role::assistant)
      ++usage.model_requests;
    else if (message->role == message_role::tool)
      ++usage.tool_calls;
}

co::task<void> take_turn(agent_ptr self) {
  auto& state = self->state;
  auto request = open_turn{state.key->session, state.spec.run_id,
                           state.spec.has_fresh_session,
                           state.spec.earlier != nullptr, state.spec.epoch};
  state.has_turn = true;
  auto turn = co_await co::request<session_turn>(
    self, state.spec.services->sessions, caf::infinite, std::move(request));
  state.messages = std::move(turn.messages);
  state.state_json = shared<std::string>{std::move(turn.state_json)};
  state.records = turn.records;
  state.answer_record = turn.answer_record;
  state.settled = std::move(turn.settled);
  state.intents = std::move(turn.intents);
  for (const auto& message : turn.repaired)
    log_message(self, *message);
  if (state.spec.is_step)
    count_earlier(state);
}

/// The role's request fields, and over them those of this run.
std::string merge_settings(const std::string& role, const std::string& run) {
  auto result = parse_object(role);
  auto over = parse_object(run);
  if (!result)
    throw co::failure{std::move(result.error())};
  if (!over)
    throw co::failure{std::move(over.error())};
  result->merge_patch(*over);
  return dump_json(*result);
}

/// How the model gives a result that is checked. Throws where it cannot in the
/// way that was fixed.
void choose_result_way(agent_state& state, const model_capabilities& model) {
  if (!state.definition->result)
    return;
  auto strategy = declared(state).result_strategy;
  auto is_native = model.native_structured_output;
  if (strategy == result_strategy::native && !is_native)
    throw co::failure{make_error(
      errc::configuration,
      "result_strategy: the model cannot answer in the form of a schema by "
      "itself",
      declared(state).source, "result_strategy: tool, or another model")};
  auto by_itself = strategy != result_strategy::tool && is_native;
  state.result_way = by_itself ? result_way::answer : result_way::call;
}

co::task<void> choose_model(agent_ptr self) {
  auto& state = self->state;
  const auto& request = state.spec.request;
  auto wanted = find_model{};
  wanted.target = request.model.empty() ? declared(state).model : request.model;
  if (request.model.empty())
    wanted.folder = declared(state).folder;
  auto found = co_await co::request<model_handle>(
    self, state.spec.services->models, caf::infinite, std::move(wanted));
  state.model = std::move(found.model);
  state.model_id = std::move(found.model_id);
  state.can = found.capabilities;
  state.window.size = found.capabilities.context_window;
  choose_result_way(state, found.capabilities);
  state.model_settings = std::move(found.settings_json);
  if (!request.settings_json.empty())
    state.model_settings = shared<std::string>{
      merge_settings(*state.model_settings, request.settings_json)};
}

void offer(agent_state& state, const compiled_tool& one,
           std::vector<tool_description>& descriptions) {
  state.tools.push_back({&one, {}});
  descriptions.push_back(one.description);
}

void offer_tools(agent_state& state, const sandbox_settings& sandbox) {
  auto descriptions = std::vector<tool_description>{};
  for (const auto& one : state.definition->tools) {
    const auto& spec = one.definition.spec();
    if (is_offered(spec, state.permissions, sandbox)
        && (!spec.available_if || spec.available_if(*state.invoked)))
      offer(state, one, descriptions);
  }
  if (state.more_tools)
    for (const auto& one : *state.more_tools)
      offer(state, one, descriptions);
  if (state.spec.host)
    for (const auto& one : state.definition->helpers->tools) {
      offer(state, one, descriptions);
      state.tools.back().is_order = true;
    }
  if (state.result_way == result_way::call)
    offer(state, state.definition->result->tool, descriptions);
  state.descriptions
    = shared<std::vector<tool_description>>{std::move(descriptions)};
}

bool needs_sandbox(const agent_state& state) {
  return std::any_of(state.tools.begin(), state.tools.end(),
                     [](const offered_tool& x) {
                       return x.declared->definition.spec().uses_sandbox;
                     });
}

void say_to_model(agent_state& state, std::string text) {
  if (text.empty())
    return;
  auto message = chat_message{};
  message.role = message_role::system;
  message.text = std::move(text);
  state.system.emplace_back(std::move(message));
}

/// The prompt; a template is filled in once a run, so its bytes stay the same
/// from turn to turn.
std::string prompt_of(const agent_state& state) {
  const auto& agent = declared(state);
  if (agent.system_template.empty())
    return agent.system_prompt;
  auto context = parse_object(state.spec.request.context_json);
  if (!context)
    throw co::failure{std::move(context.error())};
  auto values = nlohmann::json{{"context", std::move(*context)},
                               {"agent", agent.name},
                               {"input", state.spec.request.input}};
  auto text = render_template(agent.system_prompt, values);
  if (!text)
    throw co::failure{std::move(text.error())};
  return std::move(*text);
}

sandbox_settings policy_of(const agent_state& state) {
  if (state.lent)
    return state.lent->policy;
  return declared(state).sandbox.value_or(
    state.spec.services->settings.sandbox);
}

/// Opens the sandbox and tells the model of it.
co::task<void> open_sandbox(agent_ptr self) {
  auto& state = self->state;
  need_sandbox(self);
  auto asked = co::request<sandbox_description>(self, state.sandbox,
                                                caf::infinite,
                                                describe_sandbox{});
  auto described = co_await asked;
  say_to_model(state, std::move(described.text));
}

/// A model that cannot see what the user gives is not asked. A participant of
/// an assembly is told instead: another one may see it.
void check_attachments(const agent_state& state) {
  if (state.spec.is_step)
    return;
  if (auto why = check_blocks(state.spec.request.attachments, state.can))
    throw co::failure{std::move(why)};
}

/// Whether the user's message is in the conversation. A step's is its own, so
/// what is there at all begins with it.
bool has_input(const agent_state& state) {
  if (!state.spec.input_mark.empty())
    return earlier_input(state).has_value();
  if (state.spec.is_step)
    return state.records > 0;
  return state.spec.earlier && state.spec.earlier->has_input;
}

/// Adds the user's message, and a note that it is there.
void record_input(agent_ptr self) {
  auto& state = self->state;
  auto event = run_event{};
  event.type = event_type::invocation_start;
  event.data_json = attachments_json(state.spec.request.attachments);
  add_event(self, std::move(event));
  auto message = chat_message{};
  message.role = message_role::user;
  message.text = state.spec.request.input;
  message.blocks = state.spec.request.attachments;
  message.at = now_micros();
  auto mark = mark_of(state);
  auto at = message.at;
  auto added = add_message(self, std::move(message));
  if (mark.empty())
    return;
  state.input_record = added->record;
  state.pending.values.push_back(
    {std::move(mark), at, std::to_string(added->record)});
}

/// Finds out where in its conversation a run that goes on began.
void find_input(agent_state& state) {
  auto found = earlier_input(state);
  if (!found)
    return;
  state.input_record = *found;
  // An older version did not say; by then nothing of the user came after it.
  for (const auto& one : state.messages)
    if (*found == 0 && one->role == message_role::user)
      state.input_record = one->record;
}

} // namespace

const sandbox_actor& need_sandbox(agent_ptr self) {
  auto& state = self->state;
  const auto& services = *state.spec.services;
  if (state.sandbox)
    return state.sandbox;
  if (state.lent) {
    state.sandbox = state.lent->actor;
    return state.sandbox;
  }
  auto policy = policy_of(state);
  auto declares = declared(state).workspace.value_or(
    policy.workspace.value_or(services.settings.workspace));
  state.sandbox = services.open_sandbox(
    {run_observer_actor{self}, std::move(policy),
     workspace_of(state, std::move(declares)), services.callbacks});
  return state.sandbox;
}

co::task<void> prepare_run(agent_ptr self) {
  auto& state = self->state;
  const auto& request = state.spec.request;
  record_start(state);
  flush(self); // the turn may be long in coming
  settle_rules(state);
  state.invoked
    = shared<invocation>{invocation{state.spec.run_id, request.session_id,
                                    request.actor_id, request.context_json}};
  co_await take_turn(self);
  if (state.spec.end_at_once)
    co_return;
  co_await choose_model(self);
  if (!has_input(state))
    check_attachments(state);
  offer_tools(state, policy_of(state));
  say_to_model(state, prompt_of(state));
  if (state.result_way == result_way::call)
    say_to_model(state, result_rule);
  if (needs_sandbox(state))
    co_await open_sandbox(self);
  if (has_input(state))
    find_input(state);
  else
    record_input(self);
  co_await note_recovery(self);
}

} // namespace troupe
