#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/run/run_steps.hpp"
#include "troupe/actors/workflow/workflow_participants.hpp"
#include "troupe/runtime/run/run_recovery.hpp"

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

/// Whether an event comes from the participant whose answer is the run's.
bool is_from_answering(const workflow_state& state, const run_event& event) {
  if (state.answering.empty() || !event.source)
    return false;
  const auto& from = event.source->operation;
  if (from == state.answering)
    return true;
  // Those that work for an agent do not answer for it.
  return !state.helpers && from.starts_with(state.answering + "/");
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
    state.has_streamed = state.has_streamed || is_public(event);
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
    place_event(state, std::move(*answer), commit.events);
  }
  self->send(state.spec.services->store, std::move(commit));
  publish(state);
}

} // namespace troupe
