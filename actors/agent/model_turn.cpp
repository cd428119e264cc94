#include "troupe/actors/agent/model_turn.hpp"

#include "troupe/actors/agent/journal.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/model/history.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <utility>

namespace troupe {

namespace {

model_request make_request(const agent_state& state) {
  auto result = model_request{};
  result.run_id = state.spec.run_id;
  result.model = state.model_id;
  result.messages.reserve(state.system.size() + state.messages.size());
  result.messages = state.system;
  result.messages.insert(result.messages.end(), state.messages.begin(),
                         state.messages.end());
  result.tools = state.descriptions;
  result.settings_json = state.model_settings;
  result.deadline = state.spec.deadline;
  return result;
}

void add_delta(agent_ptr self, event_type type, std::string& whole,
               std::string& text) {
  whole += text;
  if (self->state.has_reader || self->state.record.has_reader())
    add_event(self, type, std::move(text));
}

void add_usage(agent_ptr self, const token_usage& usage) {
  auto& total = self->state.record.object.usage.tokens;
  total.input_tokens += usage.input_tokens;
  total.output_tokens += usage.output_tokens;
  total.cached_tokens += usage.cached_tokens;
  auto event = run_event{};
  event.type = event_type::usage;
  event.usage = usage;
  add_event(self, std::move(event));
}

void add_retry(agent_ptr self, model_event& x) {
  ++self->state.record.object.usage.model_requests;
  auto event = run_event{};
  event.type = event_type::model_retry;
  event.attempt = x.attempt;
  auto why = fault{};
  why.kind = static_cast<errc>(x.error_kind);
  why.message = std::move(x.text);
  why.status = x.status;
  why.retryable = true;
  why.retry_after = x.delay;
  event.why = shared<fault>{std::move(why)};
  add_event(self, std::move(event));
}

/// Takes one event of the answer; gives the reason when it is the last.
std::optional<stop_reason> take_event(agent_ptr self, model_event& x) {
  auto& state = self->state;
  switch (x.kind) {
    case model_event_kind::text_delta:
      add_delta(self, event_type::text_delta, state.answer.text, x.text);
      break;
    case model_event_kind::reasoning_delta:
      add_delta(self, event_type::reasoning_delta, state.answer.reasoning,
                x.text);
      break;
    case model_event_kind::tool_call:
      state.answer.calls.push_back(std::move(x.call));
      break;
    case model_event_kind::usage:
      add_usage(self, x.usage);
      break;
    case model_event_kind::retry:
      add_retry(self, x);
      break;
    case model_event_kind::stop:
      return x.stop;
  }
  return std::nullopt;
}

void finish_answer(agent_ptr self) {
  auto& state = self->state;
  auto answer = std::exchange(state.answer, {});
  answer.role = message_role::assistant;
  answer.at = now_micros();
  make_ids_unique(answer.calls);
  auto message = chat_message_ptr{std::move(answer)};
  state.answer_record = add_message(self, message);
  auto event = run_event{};
  event.record = state.answer_record;
  event.type = event_type::tool_call;
  for (const auto& call : message->calls) {
    event.call = shared<tool_call>{call};
    add_event(self, event);
    ++event.call_index;
  }
  event = run_event{};
  event.record = state.answer_record;
  event.type = event_type::message_stop;
  event.text = message->text;
  add_event(self, std::move(event));
}

} // namespace

co::task<stop_reason> ask_model(agent_ptr self) {
  auto& state = self->state;
  ++state.record.object.usage.model_requests;
  add_event(self, event_type::message_start);
  flush(self);
  // Not awaited in one expression: the frame would keep the request.
  auto asked = co::request<model_batch>(self, state.model, caf::infinite,
                                        make_request(state));
  auto batch = co_await asked;
  for (;;) {
    state.stream = batch.rest;
    for (auto& event : batch.events)
      if (auto stop = take_event(self, event)) {
        state.stream = nullptr;
        finish_answer(self);
        co_return *stop;
      }
    if (!state.stream)
      throw co::failure{errc::protocol, "the model's answer has no end"};
    flush(self);
    if (state.record.is_full())
      co_await state.record.has_room.wait(self);
    auto pulled = co::request<model_batch>(self, state.stream, caf::infinite,
                                           pull_model_events{});
    batch = co_await pulled;
  }
}

} // namespace troupe
