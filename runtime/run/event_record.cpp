#include "troupe/runtime/run/event_record.hpp"

#include "troupe/runtime/run/stored_parts.hpp"

#include <sstream>
#include <utility>

namespace troupe {

namespace {

/// An event as it is stored; time and number stand beside it.
struct stored_event {
  event_type type = event_type::run_start;
  uint64_t record = 0;
  uint32_t call_index = 0;
  std::string text;
  tool_call call{{}, {}, {}, {}};
  bool is_error = false;
  token_usage usage;
  fault why{};
  uint32_t attempt = 0;
  std::string data_json;
  std::string participant;
  std::string session_id;
  /// "OPERATION\nASSEMBLY…\n\nAGENT…", or empty.
  std::string source;
};

template <class F>
void stored_fields(F& f, stored_event& x) {
  f("y", x.type);
  f("m", x.record);
  f("k", x.call_index);
  f("t", x.text);
  f("c", x.call);
  f("e", x.is_error);
  f("u", x.usage);
  f("w", x.why);
  f("a", x.attempt);
  f("d", x.data_json);
  f("p", x.participant);
  f("s", x.session_id);
  f("o", x.source);
}

// Names have no line ends.
std::string text_of(const event_source& x) {
  auto result = x.operation;
  for (const auto& one : x.assemblies)
    result += "\n" + one;
  result += "\n";
  for (const auto& one : x.agents)
    result += "\n" + one;
  return result;
}

shared<event_source> source_from(const std::string& text) {
  if (text.empty())
    return {};
  auto result = event_source{};
  auto lines = std::istringstream{text};
  std::getline(lines, result.operation);
  auto line = std::string{};
  while (std::getline(lines, line) && !line.empty())
    result.assemblies.push_back(line);
  while (std::getline(lines, line))
    result.agents.push_back(line);
  return shared<event_source>{std::move(result)};
}

} // namespace

event_record make_event_record(const run_event& event) {
  auto stored = stored_event{};
  stored.type = event.type;
  stored.record = event.record;
  stored.call_index = event.call_index;
  stored.is_error = event.is_error;
  stored.usage = event.usage;
  stored.attempt = event.attempt;
  stored.data_json = event.data_json;
  stored.participant = event.participant;
  stored.session_id = event.session_id;
  if (event.source)
    stored.source = text_of(*event.source);
  stored.why.kind = errc{}; // absent, that is
  if (event.why)
    stored.why = *event.why;
  if (event.record == 0) {
    stored.text = event.text;
    if (event.call)
      stored.call = *event.call;
  }
  return {event.seq, event.at, encode_fields(stored)};
}

caf::expected<run_event> read_event(const event_record& record) {
  auto stored = decode_fields<stored_event>(record.body);
  if (!stored)
    return std::move(stored.error());
  if (stored->type > last_event_type || stored->why.kind > last_errc)
    return make_error(errc::storage, "a stored event cannot be read", {},
                      "the store is damaged: restore a backup");
  auto result = run_event{};
  result.seq = record.seq;
  result.at = record.at;
  result.type = stored->type;
  result.record = stored->record;
  result.call_index = stored->call_index;
  result.text = std::move(stored->text);
  result.is_error = stored->is_error;
  result.usage = stored->usage;
  result.attempt = stored->attempt;
  result.data_json = std::move(stored->data_json);
  result.participant = std::move(stored->participant);
  result.session_id = std::move(stored->session_id);
  result.source = source_from(stored->source);
  if (!stored->call.name.empty())
    result.call = shared<tool_call>{std::move(stored->call)};
  if (!stored->why.message.empty())
    result.why = shared<fault>{std::move(stored->why)};
  return result;
}

void fill_event(run_event& event, const chat_message& message) {
  switch (event.type) {
    case event_type::tool_call:
    case event_type::approval_request:
      if (event.call_index < message.calls.size())
        event.call = shared<tool_call>{message.calls[event.call_index]};
      break;
    case event_type::tool_result:
      event.call = shared<tool_call>{
        tool_call{message.call_id, message.tool_name, message.text, {}}};
      break;
    default:
      event.text = message.text;
  }
}

} // namespace troupe
