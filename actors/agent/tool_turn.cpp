#include "troupe/actors/agent/tool_turn.hpp"

#include "troupe/actors/agent/conversation.hpp"
#include "troupe/actors/agent/journal.hpp"
#include "troupe/actors/agent/tool_call.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/run_budget.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

offered_tool* find_tool(agent_state& state, const std::string& name) {
  for (auto& one : state.tools)
    if (one.declared->definition.spec().name == name)
      return &one;
  return nullptr;
}

/// What an earlier owner of the run left of this turn.
void take_earlier(agent_state& state) {
  auto settled = std::exchange(state.settled, {});
  for (size_t i = 0; i < settled.size() && i < state.calls.size(); ++i) {
    state.calls[i].result = std::move(settled[i]);
    state.calls[i].is_started = static_cast<bool>(state.calls[i].result);
  }
  for (const auto& intent : std::exchange(state.intents, {})) {
    auto left = intent.occurrence;
    for (auto& slot : state.calls)
      if (slot.call.id == intent.call_id && left-- == 0)
        slot.was_started = !slot.result;
  }
}

bool is_exclusive(const call_slot& slot) {
  return slot.target != nullptr
         && slot.target->declared->definition.spec().exclusive;
}

void start_calls(agent_ptr self);

/// One call from its check to its result.
co::task<void> run_slot(agent_ptr self, size_t index) {
  co_await run_call(self, index);
  auto& state = self->state;
  --state.active_calls;
  if (is_exclusive(state.calls[index]))
    state.exclusive_is_active = false;
  start_calls(self);
  if (state.active_calls > 0) // its result need not wait for the others
    flush(self);
}

/// Starts what may run now, in order; sets `calls_are_done` behind the last.
void start_calls(agent_ptr self) {
  auto& state = self->state;
  if (state.is_ending)
    return;
  auto most = state.spec.services->settings.concurrency.tool_calls;
  for (size_t i = 0; i < state.calls.size() && state.active_calls < most; ++i) {
    auto& slot = state.calls[i];
    if (slot.is_started || (is_exclusive(slot) && state.exclusive_is_active))
      continue;
    slot.is_started = true;
    ++state.active_calls;
    if (is_exclusive(slot))
      state.exclusive_is_active = true;
    state.running.spawn(self, call_key, run_slot(self, i));
  }
  auto is_settled = [](const call_slot& x) { return x.result || x.is_pending; };
  if (state.active_calls == 0
      && std::all_of(state.calls.begin(), state.calls.end(), is_settled))
    state.calls_are_done.set();
}

/// Takes one of the calls that are left to all who share a budget.
bool take_of_budget(const agent_state& state) {
  return !state.spec.budget || state.spec.budget->take_tool_call();
}

/// What is over the limit is answered without being run.
bool refuse_excess(agent_ptr self) {
  auto& state = self->state;
  auto& used = state.record.object.usage.tool_calls;
  auto is_over = false;
  for (size_t i = 0; i < state.calls.size(); ++i) {
    if (state.calls[i].result)
      continue; // counted when it came
    if (used < state.limits.max_tool_calls && take_of_budget(state)) {
      ++used;
      continue;
    }
    is_over = true;
    state.calls[i].is_started = true;
    answer_call(self, i,
                error_result("not run: the run's limit of "
                             + std::to_string(most_calls(state))
                             + " tool calls is reached"));
  }
  return is_over;
}

/// Of several calls that would end the run the first valid one does; those that
/// say something else are told that they did not count.
void refuse_rivals(agent_ptr self) {
  auto& state = self->state;
  const call_slot* first = nullptr;
  for (size_t i = 0; i < state.calls.size() && !state.final_tool.empty(); ++i) {
    auto& slot = state.calls[i];
    if (slot.call.name != state.final_tool || !fault_of(state, slot).empty())
      continue;
    if (first == nullptr) {
      first = &slot;
    } else if (!slot.result && slot.call.arguments != first->call.arguments) {
      slot.is_started = true;
      answer_call(self, i,
                  error_result("not done: an earlier call of \""
                               + state.final_tool + "\" in this turn counts"));
    }
  }
}

void apply_patch(nlohmann::json& state, const std::string& patch) {
  auto changes = parse_object(patch);
  if (!changes)
    return; // the tool's actor made it: there is none
  for (auto& [key, member] : changes->items())
    if (member.is_null())
      state.erase(key);
    else
      state[key] = std::move(member);
}

/// Applies what the calls changed of the run state, in call order.
void merge_state(agent_ptr self) {
  auto& state = self->state;
  auto has_patch = [](const call_slot& x) { return !x.state_patch.empty(); };
  if (std::none_of(state.calls.begin(), state.calls.end(), has_patch))
    return;
  auto merged = parse_object(*state.state_json);
  auto value = merged ? std::move(*merged) : nlohmann::json::object();
  for (const auto& slot : state.calls)
    apply_patch(value, slot.state_patch);
  state.state_json = shared<std::string>{dump_json(value)};
  log_run_state(self);
}

} // namespace

uint64_t most_calls(const agent_state& state) {
  auto own = uint64_t{state.limits.max_tool_calls};
  const auto& budget = state.spec.budget;
  return budget ? std::min(own, budget->limits().tool_calls) : own;
}

void open_slots(agent_state& state) {
  state.calls.clear();
  for (const auto& call : state.messages.back()->calls) {
    auto slot = call_slot{};
    slot.call = call;
    slot.target = find_tool(state, call.name);
    state.calls.push_back(std::move(slot));
  }
  take_earlier(state);
  state.calls_are_done.reset();
}

co::task<turn_end> run_calls(agent_ptr self) {
  auto& state = self->state;
  open_slots(state);
  auto is_over = refuse_excess(self);
  refuse_rivals(self);
  flush(self);
  start_calls(self);
  co_await state.calls_are_done.wait(self);
  auto is_pending = [](const call_slot& x) { return x.is_pending; };
  if (std::any_of(state.calls.begin(), state.calls.end(), is_pending))
    co_return turn_end::waits;
  merge_state(self);
  settle_calls(self, {});
  auto end = is_over ? turn_end::excess : turn_end::settled;
  co_return end;
}

void settle_calls(agent_ptr self, const std::string& missing) {
  auto& state = self->state;
  for (size_t i = 0; i < state.calls.size(); ++i) {
    if (!state.calls[i].result)
      answer_call(self, i, error_result(missing));
    state.messages.push_back(std::move(state.calls[i].result));
  }
  state.calls.clear();
}

} // namespace troupe
