#include "troupe/actors/agent/result_turn.hpp"

#include "troupe/actors/agent/journal.hpp"
#include "troupe/actors/agent/tool_turn.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

// How the message begins that asks a model to mend its result. A conversation
// that has one in this run has had its second chance, also in another process.
constexpr auto mend_mark
  = std::string_view{"Your answer is not a valid result: "};

constexpr auto longest_name = size_t{80};

void give_response(agent_state& state, std::string text) {
  auto& object = state.record.object;
  object.has_response = true;
  object.response = std::move(text);
}

void give_result(agent_state& state, std::string json_text) {
  state.record.object.output_json = json_text;
  give_response(state, std::move(json_text));
}

bool was_asked_to_mend(const agent_state& state) {
  return std::any_of(state.messages.begin(), state.messages.end(),
                     [&](const chat_message_ptr& x) {
                       return x->role == message_role::user
                              && x->record > state.input_record
                              && x->text.starts_with(mend_mark);
                     });
}

void ask_to_mend(agent_ptr self, const std::string& wrong) {
  auto& state = self->state;
  if (was_asked_to_mend(state))
    throw co::failure{errc::structured_result,
                      "the model was asked once to mend its result, and it is "
                      "not valid: "
                        + wrong};
  auto message = chat_message{};
  message.role = message_role::user;
  message.text = mend_mark;
  message.text += wrong;
  message.text += state.result_way == result_way::call
                    ? "\nCall final_result with the corrected result."
                    : "\nAnswer with the corrected JSON and nothing else.";
  message.at = now_micros();
  add_message(self, std::move(message));
  add_note(state, "result_refused",
           dump_json({{"name", "result_refused"}, {"violations", wrong}}));
}

/// The turn that a conversation ends with: an answer, and the results of all
/// of its calls.
struct settled_turn {
  /// Null where it ends otherwise.
  const chat_message* answer = nullptr;
  /// Of its first call; those of the others follow.
  const chat_message_ptr* results = nullptr;
};

settled_turn last_turn(const std::vector<chat_message_ptr>& messages) {
  auto first = messages.size();
  while (first > 0 && messages[first - 1]->role == message_role::tool)
    --first;
  if (first == 0 || first == messages.size())
    return {};
  const auto& answer = *messages[first - 1];
  if (answer.calls.size() != messages.size() - first)
    return {};
  return {&answer, &messages[first]};
}

/// Whether one of the calls ends the run: the first that succeeded.
bool take_final_call(agent_state& state, const settled_turn& turn) {
  for (size_t i = 0; i < turn.answer->calls.size(); ++i) {
    const auto& call = turn.answer->calls[i];
    if (turn.results[i]->is_error)
      continue;
    if (!state.final_tool.empty() && call.name == state.final_tool) {
      state.record.object.final_call_json = call.arguments;
      give_response(state, turn.answer->text);
      return true;
    }
    if (state.result_way != result_way::call || call.name != result_tool_name)
      continue;
    auto found = state.definition->result->form.read_arguments(call.arguments);
    if (!found.wrong.empty())
      continue; // the tool takes nothing else
    give_result(state, std::move(found.json));
    return true;
  }
  return false;
}

/// Those who read the answer as it comes see the result that was no answer.
void stream_result(agent_ptr self) {
  const auto& state = self->state;
  if (has_reader(state))
    add_event(self, event_type::text_delta, state.record.object.output_json);
}

/// Tells the model, or ends the run, where it goes round in circles.
void look_for_repeats(agent_ptr self) {
  auto& state = self->state;
  auto found = state.repeats.take(state.messages, state.input_record);
  if (found.count < repeats_to_note)
    return;
  auto tool = excerpt(sanitize_utf8(found.tool), longest_name);
  auto often = std::to_string(found.count);
  if (found.count >= most_repeats)
    throw co::failure{errc::limit,
                      "the tool \"" + tool + "\" was called " + often
                        + " times with the same arguments and had the same "
                          "result each time"};
  state.reminder = "You have called the tool \"" + tool + "\" " + often
                   + " times with the same arguments, and the result was the "
                     "same each time. Do something else: the run ends with the "
                   + std::to_string(most_repeats) + "th such call.";
  add_note(state, "repeated_call",
           dump_json({{"name", "repeated_call"},
                      {"tool", tool},
                      {"count", found.count}}));
}

/// Has the model mend a result that it gave with a call and that is not valid.
void look_at_results(agent_ptr self, const settled_turn& turn) {
  auto& state = self->state;
  if (state.result_way != result_way::call)
    return;
  for (const auto& call : turn.answer->calls) {
    if (call.name != result_tool_name)
      continue;
    auto found = state.definition->result->form.read_arguments(
      call.raw.empty() ? call.arguments : call.raw);
    if (found.wrong.empty())
      continue;
    ask_to_mend(self, found.wrong); // what `turn` names may move with it
    return;
  }
}

void check_excess(const agent_state& state, turn_end end) {
  if (end != turn_end::excess)
    return;
  throw co::failure{errc::limit, "the run reached its limit of "
                                   + std::to_string(most_calls(state))
                                   + " tool calls"};
}

} // namespace

bool judge_answer(agent_ptr self, const chat_message& answer) {
  auto& state = self->state;
  if (state.result_way == result_way::none) {
    give_response(state, answer.text);
    return true;
  }
  auto found = found_result{{}, "it was given as text"};
  if (state.result_way == result_way::answer)
    found = state.definition->result->form.read_text(answer.text);
  if (found.wrong.empty()) {
    give_result(state, std::move(found.json));
    return true;
  }
  ask_to_mend(self, found.wrong);
  return false;
}

bool judge_turn(agent_ptr self, turn_end end) {
  auto& state = self->state;
  auto turn = last_turn(state.messages);
  if (turn.answer == nullptr)
    return false;
  if (take_final_call(state, turn)) {
    if (!state.record.object.output_json.empty())
      stream_result(self);
    return true;
  }
  check_excess(state, end);
  look_for_repeats(self);
  look_at_results(self, turn);
  return false;
}

} // namespace troupe
