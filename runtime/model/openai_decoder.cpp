#include "troupe/runtime/model/openai_decoder.hpp"

#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/model/hide_secrets.hpp"
#include "troupe/runtime/model/openai_errors.hpp"
#include "troupe/runtime/text/utf8.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace troupe {

namespace {

// More calls than any model makes in a turn, few enough to be searched.
constexpr size_t most_calls = 1024;

constexpr size_t longest_excerpt = 200;

std::string_view trimmed(std::string_view text) {
  auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

model_event text_event(model_event_kind kind, const std::string& text) {
  auto result = model_event{};
  result.kind = kind;
  result.text = text;
  return result;
}

// Keeps what a provider accepts in `arguments`, anything else in `raw`.
void settle_arguments(tool_call& call) {
  auto text = trimmed(call.arguments);
  if (text.empty() || text == "null") {
    call.arguments = "{}";
  } else if (!parse_object(text)) {
    call.raw = std::move(call.arguments);
    call.arguments = "{}";
  }
}

std::string unique_id(std::string id, size_t position,
                      const std::set<std::string>& taken) {
  if (id.empty())
    id = "call_" + std::to_string(position);
  auto result = id;
  for (auto count = size_t{2}; taken.count(result) != 0; ++count)
    result = id + '_' + std::to_string(count);
  return result;
}

void keep_first(std::string& kept, const std::string& next) {
  if (kept.empty())
    kept = next;
}

} // namespace

openai_decoder::openai_decoder(secret key) : key_(std::move(key)) {
  // nop
}

caf::error openai_decoder::feed(std::string_view bytes, events& out) {
  if (done_)
    return {};
  if (form_ == form::unknown)
    find_form(bytes);
  if (form_ == form::whole) {
    body_ += bytes;
    return {};
  }
  sse_.feed(bytes);
  return take_events(out);
}

caf::error openai_decoder::finish(events& out) {
  if (done_)
    return {};
  if (form_ == form::whole) {
    auto* chunk = chunks_.parse(body_);
    if (chunk == nullptr)
      return malformed("the answer is not valid JSON", body_);
    if (auto err = take_chunk(*chunk, out))
      return err;
    return end_turn(out);
  }
  sse_.finish();
  if (auto err = take_events(out))
    return err;
  if (done_)
    return {};
  if (finish_reason_.empty())
    return make_error(errc::network, "the answer is truncated: its stream "
                                     "ended before the model did");
  return end_turn(out);
}

void openai_decoder::find_form(std::string_view bytes) {
  auto text = trimmed(bytes);
  if (!text.empty())
    form_ = text.front() == '{' ? form::whole : form::streamed;
}

caf::error openai_decoder::take_events(events& out) {
  while (auto event = sse_.next()) {
    if (auto err = take_event(*event, out))
      return err;
    if (done_)
      return {};
  }
  return sse_.error();
}

caf::error openai_decoder::take_event(const sse_event& event, events& out) {
  if (event.data.size() < 16 && trimmed(event.data) == "[DONE]")
    return end_turn(out);
  auto* chunk = chunks_.parse(event.data);
  if (chunk == nullptr)
    return malformed("an event of the stream is not valid JSON", event.data);
  if (event.event == "error")
    return complain(chunk->complaint);
  return take_chunk(*chunk, out);
}

caf::error openai_decoder::take_chunk(const openai_chunk& chunk, events& out) {
  if (chunk.is_error || chunk.finish_reason == "error")
    return complain(chunk.complaint);
  has_choice_ = has_choice_ || chunk.has_choice;
  refused_ = refused_ || !chunk.refusal.empty();
  if (!chunk.reasoning.empty())
    out.push_back(
      text_event(model_event_kind::reasoning_delta, chunk.reasoning));
  for (auto* text : {&chunk.text, &chunk.refusal})
    if (!text->empty())
      out.push_back(text_event(model_event_kind::text_delta, *text));
  for (const auto& piece : chunk.calls)
    if (auto err = take_call(piece))
      return err;
  if (!chunk.finish_reason.empty())
    finish_reason_ = chunk.finish_reason;
  if (chunk.usage)
    usage_ = chunk.usage;
  return {};
}

caf::error openai_decoder::take_call(const openai_call_piece& piece) {
  auto* slot = find_call(piece);
  if (slot == nullptr) {
    if (calls_.size() >= most_calls)
      return make_error(errc::protocol, "the answer has more than "
                                          + std::to_string(most_calls)
                                          + " tool calls");
    slot = &calls_.emplace_back();
    slot->index = piece.index;
    slot->call.arguments.clear();
  }
  keep_first(slot->call.id, piece.id);
  keep_first(slot->call.name, piece.name);
  slot->call.arguments += piece.arguments;
  return {};
}

// Servers differ: some give no index, some give one index to all calls, some
// say id and name in every piece. A call begins where a new index, a new id
// or, without either, a name comes.
openai_decoder::open_call*
openai_decoder::find_call(const openai_call_piece& piece) {
  if (form_ == form::whole)
    return nullptr;
  auto same_index = [&](const auto& x) { return x.index == piece.index; };
  auto found = piece.index
                 ? std::find_if(calls_.rbegin(), calls_.rend(), same_index)
                 : calls_.rbegin();
  if (found == calls_.rend())
    return nullptr;
  const auto& call = found->call;
  if (piece.name.empty() || call.name.empty())
    return &*found;
  auto other_id = !piece.id.empty() && !call.id.empty() && piece.id != call.id;
  auto no_id = piece.id.empty() && !piece.index;
  auto is_whole = !piece.arguments.empty() && parse_object(call.arguments);
  return other_id || no_id || is_whole ? nullptr : &*found;
}

caf::error openai_decoder::end_turn(events& out) {
  if (!has_choice_)
    return malformed("the answer has no choice", body_);
  give_calls(out);
  if (usage_) {
    auto event = model_event{};
    event.kind = model_event_kind::usage;
    event.usage = *usage_;
    out.push_back(std::move(event));
  }
  auto event = model_event{};
  event.kind = model_event_kind::stop;
  event.stop = reason();
  out.push_back(std::move(event));
  done_ = true;
  return {};
}

void openai_decoder::give_calls(events& out) {
  auto ids = std::set<std::string>{};
  for (auto& [index, call] : calls_) {
    call.id = unique_id(std::move(call.id), ids.size() + 1, ids);
    ids.insert(call.id);
    settle_arguments(call);
    auto event = model_event{};
    event.kind = model_event_kind::tool_call;
    event.call = std::move(call);
    out.push_back(std::move(event));
  }
}

stop_reason openai_decoder::reason() const {
  if (finish_reason_ == "length")
    return stop_reason::max_tokens;
  if (refused_ || finish_reason_ == "content_filter")
    return stop_reason::refusal;
  return calls_.empty() ? stop_reason::end_turn : stop_reason::tool_use;
}

caf::error openai_decoder::complain(const openai_complaint& said) const {
  auto result = openai_fault(said, 0);
  result.message = said.message.empty()
                     ? "the provider reported an error in its answer"
                     : excerpt(hide_secrets(said.message, key_),
                               longest_excerpt);
  return make_error(std::move(result));
}

caf::error openai_decoder::malformed(std::string_view what,
                                     std::string_view text) const {
  auto message = std::string{what};
  if (!trimmed(text).empty()) {
    message += ": ";
    message += excerpt(hide_secrets(text.substr(0, 4 * longest_excerpt), key_),
                       longest_excerpt);
  }
  return make_error(errc::protocol, std::move(message));
}

} // namespace troupe
