#include "troupe/actors/agent/model_turn.hpp"

#include "troupe/actors/agent/journal.hpp"
#include "troupe/runtime/co/request.hpp"
#include "troupe/runtime/content/shown_blocks.hpp"
#include "troupe/runtime/model/history.hpp"
#include "troupe/runtime/run/run_budget.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <utility>

namespace troupe {

namespace {

/// What the model sees once, and nobody else.
chat_message_ptr remind(std::string text) {
  auto result = chat_message{};
  result.role = message_role::user; // in mid-conversation all providers take it
  result.text = std::move(text);
  result.temporary = true;
  return chat_message_ptr{std::move(result)};
}

model_request make_request(const agent_state& state) {
  auto result = model_request{};
  result.run_id = state.spec.run_id;
  result.model = state.model_id;
  result.messages.reserve(state.system.size() + state.messages.size());
  result.messages = state.system;
  result.messages.insert(result.messages.end(), state.messages.begin(),
                         state.messages.end());
  result.messages = show_blocks(std::move(result.messages), state.can);
  if (!state.reminder.empty())
    result.messages.push_back(remind(state.reminder));
  if (state.result_way == result_way::answer)
    result.result_schema = state.definition->result->form.schema();
  result.tools = state.descriptions;
  result.settings_json = state.model_settings;
  result.deadline = state.spec.deadline;
  return result;
}

void add_delta(agent_ptr self, event_type type, std::string& text) {
  if (has_reader(self->state))
    add_event(self, type, std::move(text));
}

void add_usage(agent_ptr self, const token_usage& usage) {
  auto& total = self->state.record.object.usage.tokens;
  total.input_tokens += usage.input_tokens;
  total.output_tokens += usage.output_tokens;
  total.cached_tokens += usage.cached_tokens;
  if (self->state.spec.budget)
    self->state.spec.budget->add_tokens(usage.input_tokens
                                        + usage.output_tokens);
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
std::optional<stop_reason> take_event(agent_ptr self, model_event& x,
                                      const answer_sink& out) {
  switch (x.kind) {
    case model_event_kind::text_delta:
      out.message->text += x.text;
      if (out.is_public)
        add_delta(self, event_type::text_delta, x.text);
      break;
    case model_event_kind::reasoning_delta:
      out.message->reasoning += x.text;
      if (out.is_public)
        add_delta(self, event_type::reasoning_delta, x.text);
      break;
    case model_event_kind::tool_call:
      out.message->calls.push_back(std::move(x.call));
      break;
    case model_event_kind::usage:
      *out.tokens += x.usage.input_tokens + x.usage.output_tokens;
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

void finish_answer(agent_ptr self, uint64_t tokens) {
  auto& state = self->state;
  auto answer = std::exchange(state.answer, {});
  state.reminder.clear(); // it was told
  answer.role = message_role::assistant;
  answer.at = now_micros();
  make_ids_unique(answer.calls);
  auto message = add_message(self, std::move(answer));
  state.answer_record = message->record;
  if (tokens > 0) {
    state.window.use.counted_tokens = tokens;
    state.window.use.counted_messages = state.messages.size();
  }
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

co::task<stop_reason> read_answer(agent_ptr self, model_actor model,
                                  model_request request, answer_sink out) {
  auto& state = self->state;
  if (state.record.is_full()) // a slow reader pauses the run
    co_await state.record.has_room.wait(self);
  ++state.record.object.usage.model_requests;
  flush(self);
  // Not awaited in one expression: the frame would keep the request.
  auto asked = co::request<model_batch>(self, model, caf::infinite,
                                        std::move(request));
  auto batch = co_await asked;
  for (;;) {
    state.stream = batch.rest;
    for (auto& event : batch.events)
      if (auto stop = take_event(self, event, out)) {
        state.stream = nullptr;
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

co::task<stop_reason> ask_model(agent_ptr self) {
  auto& state = self->state;
  add_event(self, event_type::message_start);
  auto tokens = uint64_t{0};
  auto out = answer_sink{&state.answer, &tokens, true};
  auto reading = read_answer(self, state.model, make_request(state), out);
  auto stop = co_await reading;
  finish_answer(self, tokens);
  co_return stop;
}

} // namespace troupe
