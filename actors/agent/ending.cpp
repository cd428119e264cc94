#include "troupe/actors/agent/ending.hpp"

#include "troupe/actors/agent/conversation.hpp"
#include "troupe/actors/agent/journal.hpp"
#include "troupe/actors/agent/tool_call.hpp"
#include "troupe/actors/agent/tool_turn.hpp"
#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/co/when_all.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/run_json.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <chrono>
#include <utility>

namespace troupe {

namespace {

constexpr auto ending_key = co::frame_key{0, 3};

/// How long a child may take to end before it is killed and reported.
constexpr auto ending_time = std::chrono::seconds{15};

/// Has one child end; a failure is kept with the run, never swallowed.
template <class Handle>
co::task<void> end_child(agent_ptr self, Handle child, std::string what) {
  auto asked = co::request<done>(self, child, ending_time, end_work{});
  auto ended = co_await co::as_expected(std::move(asked));
  if (ended || ended.error() == caf::sec::request_receiver_down)
    co_return; // one that has gone by itself has ended
  self->state.record.object.cleanup_failures.push_back(
    what + ": " + to_fault(ended.error()).message);
  self->send_exit(child, caf::exit_reason::kill);
}

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
  if (!is_cut_off || state.answer.text.empty())
    return;
  auto partial = chat_message{};
  partial.role = message_role::assistant;
  partial.text = std::exchange(state.answer.text, {});
  partial.at = now_micros();
  if (outcome.status == run_status::partial) {
    state.record.object.has_response = true;
    state.record.object.response = partial.text;
  }
  add_message(self, std::move(partial));
}

/// What the application registered; its functions may block.
co::task<void> close_resources(agent_ptr self) {
  auto& state = self->state;
  auto call = std::function<std::vector<std::string>()>{
    [resources = state.spec.resources] { return resources->close(); }};
  auto work = co::offload(self, *state.spec.services->pool, std::move(call));
  auto failures = co_await work;
  auto& all = state.record.object.cleanup_failures;
  all.insert(all.end(), failures.begin(), failures.end());
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

event_type terminal_event(run_status status) {
  switch (status) {
    case run_status::completed:
      return event_type::run_stop;
    case run_status::partial:
      return event_type::run_partial;
    case run_status::cancelled:
      return event_type::run_cancel;
    case run_status::suspended:
      return event_type::suspended;
    default:
      return event_type::run_error;
  }
}

/// Makes the run object final.
void close_object(agent_state& state, run_outcome outcome) {
  auto& object = state.record.object;
  object.status = outcome.status;
  object.ended_at = now_micros();
  object.steps.back().status = outcome.status;
  object.steps.back().ended_at = object.ended_at;
  if (outcome.status == run_status::suspended) {
    object.suspension.reason = "approval";
    object.suspension.approvals = pending_approvals(state);
    object.ended_at = 0;
    return;
  }
  object.has_error = outcome.status != run_status::completed;
  object.error = std::move(outcome.why);
}

/// The last events, and the change of the run that they stand for.
void record_end(agent_ptr self) {
  auto& state = self->state;
  const auto& object = state.record.object;
  if (object.status == run_status::suspended)
    for (size_t i = 0; i < state.calls.size(); ++i)
      if (state.calls[i].is_pending)
        announce_approval(self, i);
  add_event(self, event_type::invocation_stop);
  auto event = run_event{};
  event.type = terminal_event(object.status);
  event.text = object.response;
  if (object.has_response && object.status == run_status::completed)
    event.record = state.answer_record;
  if (object.has_error)
    event.why = shared<fault>{object.error};
  if (object.status == run_status::suspended)
    event.data_json = suspension_json(object.suspension);
  add_event(self, std::move(event));
  state.pending.change.push_back({object.status, now_micros(), 0,
                                  encode_details(state.spec.request, object)});
}

/// A run whose end could not be stored has failed, whatever it did.
co::task<void> store_end(agent_ptr self) {
  try {
    co_await sync(self);
  } catch (const co::failure& why) {
    auto& object = self->state.record.object;
    object.status = run_status::failed;
    object.has_error = true;
    object.error = to_fault(why.reason());
    auto event = run_event{};
    event.type = event_type::run_error;
    event.at = now_micros();
    event.why = shared<fault>{object.error};
    self->state.record.replace_last(std::move(event));
  }
}

void log_end(const agent_state& state) {
  const auto& object = state.record.object;
  const auto& log = state.spec.services->log;
  for (const auto& failure : object.cleanup_failures)
    log(log_level::warn, "run " + object.run_id + ": " + failure);
  log(log_level::info, "run " + object.run_id + " of " + object.name + " is "
                         + to_string(object.status));
}

co::task<void> end_run(agent_ptr self, run_outcome outcome) {
  auto& state = self->state;
  if (outcome.status != run_status::completed
      && outcome.status != run_status::suspended)
    flush(self); // to end what works may take a while
  co_await end_workers(self);
  if (outcome.status != run_status::suspended)
    settle_conversation(self, outcome);
  if (state.sandbox)
    co_await end_child(self, state.sandbox, "sandbox");
  state.sandbox = nullptr;
  if (state.spec.resources)
    co_await close_resources(self);
  auto may_keep = outcome.status != run_status::suspended;
  close_object(state, std::move(outcome));
  record_end(self);
  co_await store_end(self);
  give_back_turn(self,
                 may_keep && state.record.object.error.kind != errc::storage);
  log_end(state);
  state.record.publish();
  state.record.end();
  state.spec.services->feed->publish(
    {state.spec.run_id, nullptr, state.record.object.status});
  self->send(state.spec.registry, run_over{state.spec.run_id});
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
