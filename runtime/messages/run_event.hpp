#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/messages/run_object.hpp"

#include "caf/meta/type_name.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// The words of `type` in an event. On disk: append, never reorder.
enum class event_type : uint8_t {
  run_start,
  invocation_start,
  message_start,
  text_delta,
  reasoning_delta,
  tool_call,
  tool_result,
  model_retry,
  usage,
  message_stop,
  invocation_stop,
  step_start,
  step_stop,
  handoff,
  interjection,
  artifact,
  checkpoint,
  approval_request,
  suspended,
  resumed,
  agent_stream,
  custom,
  run_stop,
  run_error,
  run_partial,
  run_cancel,
};

inline constexpr auto last_event_type = event_type::run_cancel;

std::string to_string(event_type x);

/// The text of the custom event before a summary is asked for, which counts as
/// a request to a model.
inline constexpr auto summary_event = "summary";

/// Whether nothing follows an event of this type in its run.
constexpr bool is_terminal(event_type x) {
  return x >= event_type::run_stop || x == event_type::suspended;
}

/// Whether events of this type are streamed and not stored.
constexpr bool is_delta(event_type x) {
  return x == event_type::text_delta || x == event_type::reasoning_delta;
}

/// Where among the participants of a run an event comes from.
struct event_source {
  /// The names of the assemblies around it, outermost first.
  std::vector<std::string> assemblies;
  /// The names of the agents that led to it, the one itself last; empty for
  /// an assembly's own.
  std::vector<std::string> agents;
  /// The step, as the run's steps name it.
  std::string operation;
};

template <class Inspector>
auto inspect(Inspector& f, event_source& x) {
  return f(caf::meta::type_name("troupe::event_source"), x.assemblies, x.agents,
           x.operation);
}

/// One event of a run. Which fields count depends on the type; `event_json`
/// gives the contract's form.
struct run_event {
  /// 0: not stored (deltas).
  uint64_t seq = 0;
  int64_t at = 0;
  event_type type = event_type::custom;
  /// Deltas, a message's whole text, a retry's reason, an answer.
  std::string text;
  /// tool_call and tool_result; for the latter `arguments` holds the result.
  shared<troupe::tool_call> call;
  bool is_error = false;
  token_usage usage;
  /// The failure of run_error and model_retry.
  shared<fault> why;
  uint32_t attempt = 0;
  /// The record of the conversation that holds the message this is about, so
  /// that it is stored once; 0: none. And the call in it.
  uint64_t record = 0;
  uint32_t call_index = 0;
  /// Anything else: the text of a JSON object, merged into `data`.
  std::string data_json;
  /// The step of a run that it comes from, and its conversation, which `record`
  /// is in; empty: the run itself.
  std::string participant;
  std::string session_id;
  /// Set for an event of a participant, which others see as `agent_stream`.
  shared<event_source> source;
  /// On its way up: it is about what the participant answers.
  bool is_answer = false;
};

template <class Inspector>
auto inspect(Inspector& f, run_event& x) {
  return f(caf::meta::type_name("troupe::run_event"), x.seq, x.at, x.type,
           x.text, x.call, x.is_error, x.usage, x.why, x.attempt, x.record,
           x.call_index, x.data_json, x.participant, x.session_id, x.source,
           x.is_answer);
}

} // namespace troupe
