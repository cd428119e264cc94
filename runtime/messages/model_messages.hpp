#pragma once

#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/model/model_capabilities.hpp"

#include "caf/error.hpp"
#include "caf/meta/type_name.hpp"
#include "caf/timespan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// A tool as a model sees it.
struct tool_description {
  std::string name;
  std::string description;
  /// The text of a JSON Schema of type object.
  std::string parameters;
};

template <class Inspector>
auto inspect(Inspector& f, tool_description& x) {
  return f(caf::meta::type_name("troupe::tool_description"), x.name,
           x.description, x.parameters);
}

/// One turn asked of a model. Order and bytes of `messages` and `tools` are
/// the same from turn to turn, so that providers can cache the prefix.
struct model_request {
  std::string run_id;
  /// The provider's own name of the model, e.g. "gpt-5"; for a cassette, the
  /// file.
  std::string model;
  /// System messages first.
  std::vector<chat_message_ptr> messages;
  shared<std::vector<tool_description>> tools;
  /// Extra request fields: the text of one JSON object.
  shared<std::string> settings_json;
  /// A JSON Schema the answer must follow, or empty.
  std::string result_schema;
  /// When the caller stops waiting, microseconds since the epoch; 0 never.
  int64_t deadline = 0;
};

template <class Inspector>
auto inspect(Inspector& f, model_request& x) {
  return f(caf::meta::type_name("troupe::model_request"), x.run_id, x.model,
           x.messages, x.tools, x.settings_json, x.result_schema, x.deadline);
}

/// Why a model stopped.
enum class stop_reason : uint8_t { end_turn, tool_use, max_tokens, refusal };

/// What a model_event is.
enum class model_event_kind : uint8_t {
  /// `text` continues the answer.
  text_delta,
  /// `text` continues the private reasoning.
  reasoning_delta,
  /// `call` is complete.
  tool_call,
  /// `usage` of this turn, at most one a turn.
  usage,
  /// A request failed and is sent again: `text` says why, `attempt` which one
  /// comes next (2, 3…), `delay` after how long.
  retry,
  /// The turn is whole; always the last event.
  stop,
};

/// Whether an event of this kind is a piece of a text.
constexpr bool is_piece(model_event_kind kind) {
  return kind == model_event_kind::text_delta
         || kind == model_event_kind::reasoning_delta;
}

/// One step of a model's answer.
struct model_event {
  model_event_kind kind = model_event_kind::text_delta;
  std::string text;
  tool_call call;
  token_usage usage;
  stop_reason stop = stop_reason::end_turn;
  /// Kind retry: the error's kind as errc, the HTTP status or 0, the attempt
  /// that follows, the wait.
  uint8_t error_kind = 0;
  uint16_t status = 0;
  uint32_t attempt = 0;
  caf::timespan delay{0};
};

template <class Inspector>
auto inspect(Inspector& f, model_event& x) {
  return f(caf::meta::type_name("troupe::model_event"), x.kind, x.text, x.call,
           x.usage, x.stop, x.error_kind, x.status, x.attempt, x.delay);
}

/// Asks a model's stream for what has come since; answered when there is an
/// event. A transfer whose events nobody pulls is paused.
struct pull_model_events {};

template <class Inspector>
auto inspect(Inspector& f, pull_model_events&) {
  return f(caf::meta::type_name("troupe::pull_model_events"));
}

/// Asks a catalog for the model behind a role or a target such as
/// "connection:model-id" or "cassette:FILE"; an empty one is the default
/// model. A model that does not exist is `errc::configuration`.
struct find_model {
  std::string target;
  /// What a relative FILE counts from; empty: the catalog's own folder.
  std::string folder;
};

template <class Inspector>
auto inspect(Inspector& f, find_model& x) {
  return f(caf::meta::type_name("troupe::find_model"), x.target, x.folder);
}

} // namespace troupe
