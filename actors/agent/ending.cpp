#include "troupe/actors/agent/ending.hpp"

#include "troupe/actors/agent/conversation.hpp"
#include "troupe/actors/agent/interjection.hpp"
#include "troupe/actors/agent/journal.hpp"
#include "troupe/actors/agent/tool_call.hpp"
#include "troupe/actors/agent/tool_turn.hpp"
#include "troupe/actors/run/run_artifacts.hpp"
#include "troupe/actors/run/run_life.hpp"
#include "troupe/runtime/co/when_all.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe {

namespace {

constexpr auto ending_key = co::frame_key{0, 3};

/// A blocking call that took too long has its result and still goes on.
bool may_linger(const tool& x) {
  return x.spec().blocking && x.spec().timeout.count() > 0;
}

/// Ends tools and the model's stream, all at once, so that nothing works for
/// this run any more. Results that were on their way arrive before that.
co::task<void> end_workers(agent_ptr self) {
  auto& state = self->state;
  auto work = std::vector<co::task<void>>{};
  for (auto& one : state.tools)
    if (one.actor
        && (state.active_calls > 0 || may_linger(one.declared->definition)))
      work.push_back(
        end_child(self, one.actor, one.declared->definition.spec().name));
  if (state.stream)
    work.push_back(end_child(self, state.stream, "model"));
  if (!work.empty())
    co_await co::when_all(std::move(work));
  state.running.cancel(call_key); // who still waits for a permission
  state.stream = nullptr;
  state.tools.clear();
}

std::string excuse_of(const run_outcome& outcome) {
  if (outcome.status == run_status::cancelled)
    return "cancelled before it finished";
  if (outcome.status == run_status::partial)
    return "stopped before it finished: the run's deadline has passed";
  return "stopped before it finished: the run failed";
}

/// A run whose time is up gives what its model said last.
void give_what_exists(agent_state& state) {
  auto& object = state.record.object;
  for (auto i = state.messages.rbegin(); i != state.messages.rend(); ++i) {
    const auto& one = **i;
    if (one.at < object.started_at)
      return; // of an earlier run
    if (one.role != message_role::assistant || one.text.empty())
      continue;
    object.has_response = true;
    object.response = one.text;
    return;
  }
}

/// Leaves a conversation that a provider accepts: what a model had said when
/// it was cut off stays, a call gets its result.
void settle_conversation(agent_ptr self, const run_outcome& outcome) {
  auto& state = self->state;
  auto is_open = !state.messages.empty() && state.calls.empty()
                 && !state.messages.back()->calls.empty();
  if (is_open) // ended before its turn was opened
    open_slots(state);
  settle_calls(self, excuse_of(outcome));
  auto is_cut_off = outcome.status == run_status::cancelled
                    || outcome.status == run_status::partial;
  if (is_cut_off && !state.answer.text.empty()) {
    auto partial = chat_message{};
    partial.role = message_role::assistant;
    partial.text = std::exchange(state.answer.text, {});
    partial.at = now_micros();
    add_message(self, std::move(partial));
  }
  if (outcome.status == run_status::partial)
    give_what_exists(state);
}

void give_back_turn(agent_ptr self, bool keep) {
  auto& state = self->state;
  if (!state.has_turn)
    return;
  auto turn = close_turn{};
  turn.key = state.key->session;
  turn.run_id = state.spec.run_id;
  turn.keep = keep && state.state_json;
  turn.messages = std::move(state.messages);
  turn.state_json = *state.state_json;
  turn.records = state.records;
  self->send(state.spec.services->sessions, std::move(turn));
}

/// What a text file is taken for by its name.
std::string media_type_of(const std::string& path) {
  if (path.ends_with(".json"))
    return "application/json";
  if (path.ends_with(".md"))
    return "text/markdown; charset=utf-8";
  return path.ends_with(".csv") ? "text/csv" : "text/plain; charset=utf-8";
}

/// Tells of a file that the agent was to produce and did not.
void note_missing(agent_state& state, const std::string& path,
                  const std::string& why) {
  const auto& spec = state.spec;
  const auto& who = spec.is_step ? spec.place.participant
                                 : state.record.object.name;
  add_note(state, "not_produced",
           dump_json(nlohmann::json{{"path", path}, {"reason", why}}));
  spec.services->log(log_level::warn, "run " + spec.run_id + ": " + who
                                        + " produced no " + path + ": " + why);
}

/// Keeps one file that the agent was to produce. One that is not there is no
/// failure: a run that was cut off may not have come so far.
co::task<void> keep_product(agent_ptr self, std::string path, run_status end) {
  auto& state = self->state;
  auto wrong = caf::error{};
  try {
    auto reading = read_whole(self, state.sandbox, path);
    auto content = co_await reading;
    add_artifact(self, path, std::move(content), media_type_of(path));
  } catch (const co::failure& why) {
    wrong = why.reason();
  }
  if (wrong && end == run_status::completed)
    note_missing(state, path, to_fault(wrong).message);
}

co::task<void> keep_products(agent_ptr self, run_status end) {
  for (const auto& path : self->state.definition->settings.produces)
    co_await keep_product(self, path, end);
}

/// The last events of the agent, and then of its run.
void record_ends(agent_ptr self) {
  auto& state = self->state;
  if (state.record.object.status == run_status::suspended)
    for (size_t i = 0; i < state.calls.size(); ++i)
      if (state.calls[i].is_pending)
        announce_approval(self, i);
  add_event(self, event_type::invocation_stop);
  // A result is no message of the conversation: it stands in the event.
  auto& output = state.record.object.output_json;
  auto is_message = output.empty();
  // Text that was not checked is no result, however much it looks like one.
  auto is_text = is_message && state.record.object.has_response
                 && state.record.object.status != run_status::suspended;
  if (is_text && state.definition->result)
    output = "null";
  record_end(state, is_message ? state.answer_record : 0);
}

co::task<void> end_run(agent_ptr self, run_outcome outcome) {
  auto& state = self->state;
  if (outcome.status != run_status::completed
      && outcome.status != run_status::suspended)
    flush(self); // to end what works may take a while
  co_await end_workers(self);
  if (outcome.status != run_status::suspended)
    settle_conversation(self, outcome);
  if (state.sandbox && !state.definition->settings.produces.empty())
    co_await keep_products(self, outcome.status);
  if (state.sandbox && !state.lent)
    co_await end_child(self, state.sandbox, "sandbox");
  state.sandbox = nullptr;
  if (state.spec.resources)
    co_await close_resources(self);
  auto may_keep = outcome.status != run_status::suspended;
  if (!may_keep)
    outcome.waits_for = {"approval", {}, pending_approvals(state), {}};
  // Nothing is awaited from here to the last event, behind which nobody is
  // heard any more: what is said until then is not lost.
  leave_interjections(self, outcome.status);
  close_object(state, std::move(outcome));
  record_ends(self);
  co_await store_end(self);
  give_back_turn(self,
                 may_keep && state.record.object.error.kind != errc::storage);
  answer_interjections(self);
  announce_end(state);
  if (state.spec.registry)
    self->send(state.spec.registry, run_over{state.spec.run_id});
  // A step and its run hold each other.
  state.lent.reset();
  state.spec.sink = nullptr;
  state.spec.host = nullptr;
}

} // namespace

void begin_ending(agent_ptr self, run_outcome outcome) {
  auto& state = self->state;
  if (std::exchange(state.is_ending, true))
    return;
  state.running.cancel(loop_key);
  state.running.spawn(self, ending_key, end_run(self, std::move(outcome)));
}

} // namespace troupe
