#include "troupe/actors/agent/tool_call.hpp"

#include "troupe/actors/agent/journal.hpp"
#include "troupe/actors/agent/tool_output.hpp"
#include "troupe/actors/tools/call_data.hpp"
#include "troupe/actors/tools/tool_host.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/permission/permission_decision.hpp"
#include "troupe/runtime/run/call_decisions.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe {

namespace {

const tool_spec& spec_of(const call_slot& slot) {
  return slot.target->declared->definition.spec();
}

std::string known_tools(const agent_state& state) {
  auto result = std::string{};
  for (const auto& one : state.tools) {
    result += result.empty() ? "" : ", ";
    result += one.declared->definition.spec().name;
  }
  return result.empty() ? "there are none" : result;
}

std::string denial(const tool_spec& spec, const std::string& reason) {
  auto result = "permission denied: " + spec.capability;
  return reason.empty() ? result : result + " (" + reason + ")";
}

/// A tool of the agent that this run does not offer is told from one that
/// does not exist: a model that knows it from elsewhere must not guess on.
std::string why_not_offered(const agent_state& state, const std::string& name) {
  for (const auto& one : state.definition->tools) {
    const auto& spec = one.definition.spec();
    if (spec.name != name)
      continue;
    if (!can_be_allowed(state.permissions, spec.capability))
      return denial(spec, "not in this mode");
    return "the tool \"" + name + "\" is not available in this run";
  }
  return "there is no tool \"" + sanitize_utf8(name) + "\"";
}

/// The conversation of a step; the run's own goes without saying.
std::string step_session(const agent_state& state) {
  return has_run_session(state.spec) ? std::string{}
                                     : state.key->session.session_id;
}

/// What a person decided about this very call; null when nobody has.
const stored_decision* find_decision(const agent_state& state,
                                     const call_slot& slot) {
  if (!state.spec.earlier)
    return nullptr;
  auto digest = digest_of(slot.call);
  for (const auto& one : state.spec.earlier->decisions)
    if (one.record == state.answer_record && one.call_id == slot.call.id
        && one.session_id == step_session(state) && !digest.empty()
        && one.digest == digest)
      return &one;
  return nullptr;
}

/// Puts a call aside until a person has decided about it.
std::string await_person(call_slot& slot) {
  slot.is_pending = true;
  return {};
}

/// Empty when the call may run or waits, otherwise what its model is told.
co::task<std::string> ask_permission(agent_ptr self, size_t index) {
  auto& state = self->state;
  const auto& slot = state.calls[index];
  const auto& spec = spec_of(slot);
  if (spec.capability.empty())
    co_return std::string{};
  auto subject = permission_subject(slot.call.arguments);
  auto rule = decide_permission(state.permissions, spec.capability, subject);
  if (rule == permission_rule::allow)
    co_return std::string{};
  if (rule == permission_rule::deny)
    co_return denial(spec, "not in this mode");
  if (state.permissions.mode == permission_mode::approve) {
    const auto* decision = find_decision(state, slot);
    if (decision == nullptr)
      co_return await_person(state.calls[index]);
    if (!decision->approve)
      co_return denial(spec, decision->reason.empty() ? "by a person"
                                                      : decision->reason);
    co_return std::string{};
  }
  const auto& approver = state.spec.services->approver;
  if (!approver)
    co_return denial(spec, "there is nobody to ask");
  announce_approval(self, index);
  flush(self);
  auto question = permission_request{*state.invoked,
                                     state.definition->settings.name, slot.call,
                                     spec.capability, std::move(subject)};
  auto asked = co::request<permission_answer>(self, approver, caf::infinite,
                                              std::move(question));
  auto answer = co_await co::as_expected(std::move(asked));
  if (!answer)
    co_return denial(spec_of(state.calls[index]), "nobody could be asked");
  if (answer->verdict == permission_verdict::deny)
    co_return denial(spec_of(state.calls[index]), answer->reason);
  co_return std::string{};
}

constexpr auto lost_call
  = "interrupted: this call had been started, and its outcome is unknown";

/// What becomes of a call that an earlier owner of the run had started: it may
/// run again, waits for a person, or is lost.
enum class second_try : uint8_t { allowed, waits, lost };

second_try try_again(const agent_state& state, const call_slot& slot) {
  if (!slot.was_started)
    return second_try::allowed;
  switch (spec_of(slot).recovery) {
    case recovery_class::read_only:
    case recovery_class::idempotent:
      return second_try::allowed;
    case recovery_class::ask:
      return second_try::lost;
    case recovery_class::person:
      break;
  }
  // Somebody who allowed the first try has not allowed a second one.
  const auto* decision = find_decision(state, slot);
  if (decision == nullptr || !decision->is_new)
    return second_try::waits;
  return decision->approve ? second_try::allowed : second_try::lost;
}

tool_actor tool_for(agent_ptr self, offered_tool& target) {
  if (!target.actor) {
    auto& state = self->state;
    target.actor = self->spawn(
      tool_behavior, tool_host_spec{target.declared->definition, state.sandbox,
                                    state.spec.services->pool});
  }
  return target.actor;
}

/// Answers a call, storing what is too long to be shown.
co::task<void> take_result(agent_ptr self, size_t index, tool_result result) {
  if (needs_storing(result)) {
    auto storing = store_output(self, index, std::move(result));
    result = co_await storing;
  }
  answer_call(self, index, std::move(result));
}

/// Has the host of the agent's run do what a call says.
co::task<void> order_helper(agent_ptr self, size_t index) {
  auto& state = self->state;
  auto order = helper_order{};
  order.tool = state.calls[index].call.name;
  order.arguments = state.calls[index].call.arguments;
  order.key = key_of_call(*state.invoked, state.answer_record,
                          state.calls[index].call.id);
  auto asked = co::request<helper_reply>(self, state.spec.host, caf::infinite,
                                         std::move(order));
  auto reply = co_await co::as_expected(std::move(asked));
  auto& slot = state.calls[index];
  if (reply && reply->waits) {
    slot.is_pending = true;
    slot.waits_for_helper = true;
  } else if (reply) {
    auto result = tool_result{};
    result.content = std::move(reply->content);
    result.is_error = reply->is_error;
    co_await take_result(self, index, std::move(result));
  } else if (!state.is_ending) {
    answer_call(self, index, error_result(to_fault(reply.error()).message));
  }
}

} // namespace

std::string fault_of(const agent_state& state, const call_slot& slot) {
  if (slot.target == nullptr)
    return why_not_offered(state, slot.call.name)
           + "; the tools are: " + known_tools(state);
  if (!slot.call.raw.empty())
    return "the arguments are not a JSON object: "
           + excerpt(sanitize_utf8(slot.call.raw), 200);
  auto arguments = parse_object(slot.call.arguments);
  if (!arguments)
    return "the arguments are not a JSON object: "
           + to_fault(arguments.error()).message;
  auto violations = slot.target->declared->schema->check(*arguments);
  if (violations.empty())
    return {};
  return "invalid arguments: " + to_string(violations);
}

tool_result error_result(const std::string& text) {
  auto value = nlohmann::json{{"error", text}};
  auto result = tool_result{};
  result.content = dump_json(value);
  result.is_error = true;
  return result;
}

void answer_call(agent_ptr self, size_t index, tool_result result) {
  auto& state = self->state;
  auto& slot = state.calls[index];
  if (slot.result)
    return;
  auto event = run_event{};
  event.type = event_type::tool_result;
  event.call = shared<tool_call>{
    tool_call{slot.call.id, slot.call.name, result.content, {}}};
  event.is_error = result.is_error;
  if (!result.hidden_failure.empty()) {
    state.spec.services->log(log_level::warn,
                             "run " + state.spec.run_id + ": the tool "
                               + slot.call.name
                               + " failed: " + result.hidden_failure);
    event.data_json
      = dump_json(nlohmann::json{{"hidden_failure", result.hidden_failure}});
  }
  auto message = chat_message{};
  message.role = message_role::tool;
  message.text = std::move(result.content);
  message.call_id = slot.call.id;
  message.tool_name = slot.call.name;
  message.is_error = result.is_error;
  message.blocks = std::move(slot.blocks);
  message.at = now_micros();
  slot.state_patch = std::move(result.state_patch);
  slot.result = log_message(self, std::move(message));
  slot.is_pending = false;
  event.record = slot.result->record;
  add_event(self, std::move(event));
}

void announce_approval(agent_ptr self, size_t index) {
  const auto& slot = self->state.calls[index];
  const auto& spec = spec_of(slot);
  auto event = run_event{};
  event.type = event_type::approval_request;
  event.record = self->state.answer_record;
  event.call_index = static_cast<uint32_t>(index);
  event.call = shared<tool_call>{slot.call};
  event.data_json = dump_json(
    nlohmann::json{{"capability", spec.capability},
                   {"tool", spec.name},
                   {"subject", permission_subject(slot.call.arguments)}});
  add_event(self, std::move(event));
}

std::vector<pending_approval> pending_approvals(const agent_state& state) {
  auto result = std::vector<pending_approval>{};
  for (const auto& slot : state.calls)
    if (slot.is_pending && !slot.waits_for_helper)
      result.push_back({slot.call, spec_of(slot).capability,
                        state.answer_record, digest_of(slot.call),
                        step_session(state)});
  return result;
}

co::task<void> run_call(agent_ptr self, size_t index) {
  auto& state = self->state;
  if (auto wrong = fault_of(state, state.calls[index]); !wrong.empty()) {
    answer_call(self, index, error_result(wrong));
    co_return;
  }
  auto denied = co_await ask_permission(self, index);
  if (state.calls[index].is_pending)
    co_return;
  if (!denied.empty()) {
    answer_call(self, index, error_result(denied));
    co_return;
  }
  switch (try_again(state, state.calls[index])) {
    case second_try::allowed:
      break;
    case second_try::waits:
      state.calls[index].is_pending = true;
      co_return;
    case second_try::lost:
      answer_call(self, index, error_result(lost_call));
      co_return;
  }
  if (spec_of(state.calls[index]).recovery != recovery_class::read_only) {
    log_intent(self, index);
    co_await sync(self);
  }
  if (state.calls[index].target->is_order) {
    co_await order_helper(self, index);
    co_return;
  }
  auto request = tool_request{state.calls[index].call, state.invoked,
                              state.state_json, state.spec.deadline,
                              state.answer_record};
  auto actor = tool_for(self, *state.calls[index].target);
  auto asked = co::request<tool_result>(self, actor, caf::infinite,
                                        std::move(request));
  auto result = co_await co::as_expected(std::move(asked));
  if (result)
    co_await take_result(self, index, std::move(*result));
  else if (!state.is_ending)
    answer_call(self, index, error_result("the tool failed"));
}

} // namespace troupe
