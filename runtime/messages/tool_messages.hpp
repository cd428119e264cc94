#pragma once

#include "troupe/runtime/messages/chat_message.hpp"

#include "caf/meta/type_name.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Who asked for a run and with what; set by the application, never by a
/// model.
struct invocation {
  std::string run_id;
  std::string session_id;
  /// The caller's trusted identity, or empty.
  std::string actor_id;
  /// The application's values: the text of a JSON object.
  std::string context_json = "{}";
};

template <class Inspector>
auto inspect(Inspector& f, invocation& x) {
  return f(caf::meta::type_name("troupe::invocation"), x.run_id, x.session_id,
           x.actor_id, x.context_json);
}

/// Asks a tool for one call. The arguments were checked against its schema.
struct tool_request {
  tool_call call;
  shared<troupe::invocation> invocation;
  /// The run's mutable state as the call finds it: the text of a JSON object.
  shared<std::string> state_json;
  /// Microseconds since the epoch; 0 never.
  int64_t deadline = 0;
  /// The record of the conversation that the call stands in: with its id, the
  /// same for each attempt of this call and for no other.
  uint64_t record = 0;
};

template <class Inspector>
auto inspect(Inspector& f, tool_request& x) {
  return f(caf::meta::type_name("troupe::tool_request"), x.call, x.invocation,
           x.state_json, x.deadline, x.record);
}

/// A file that a call gives beside its value.
struct tool_artifact {
  /// The plain name of a file: no folder, no dot in front.
  std::string name;
  /// E.g. "image/png"; empty: what the bytes look like.
  std::string media_type;
  shared<std::string> bytes;
};

template <class Inspector>
auto inspect(Inspector& f, tool_artifact& x) {
  return f(caf::meta::type_name("troupe::tool_artifact"), x.name, x.media_type,
           x.bytes);
}

/// What a call came to.
struct tool_result {
  /// The JSON text the model sees; `{"error":"…"}` for a failure.
  std::string content = "null";
  bool is_error = false;
  /// What the call changed of the run's state: the text of a JSON object whose
  /// members replace those of the state, null removing one; empty: nothing.
  std::string state_patch;
  /// What was hidden from the model: the text of an exception that is no
  /// `tool_error`. For the operator.
  std::string hidden_failure;
  /// To be stored under the workspace's path `artifacts`, all or none.
  std::vector<tool_artifact> artifacts;
};

template <class Inspector>
auto inspect(Inspector& f, tool_result& x) {
  return f(caf::meta::type_name("troupe::tool_result"), x.content, x.is_error,
           x.state_patch, x.hidden_failure, x.artifacts);
}

} // namespace troupe
