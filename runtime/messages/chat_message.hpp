#pragma once

#include "troupe/runtime/messages/shared.hpp"

#include "caf/meta/type_name.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

enum class message_role : uint8_t { system, user, assistant, tool };

/// A call that the model asked for.
struct tool_call {
  /// The provider's id, made unique within its message.
  std::string id;
  std::string name;
  /// The text of a JSON object; what was no object arrives as `raw`.
  std::string arguments = "{}";
  /// What the model sent in place of a JSON object, or empty.
  std::string raw;
};

template <class Inspector>
auto inspect(Inspector& f, tool_call& x) {
  return f(caf::meta::type_name("troupe::tool_call"), x.id, x.name, x.arguments,
           x.raw);
}

/// A piece of a message that is no text: an image or a document. Immutable.
struct content_block {
  /// Of the bytes, e.g. "image/png"; what is no image is a document.
  std::string media_type;
  /// For people and models; may be empty.
  std::string name;
  /// The SHA-256 of the bytes in hex, under which a store keeps them once.
  std::string digest;
  uint64_t size = 0;
  /// The bytes; null where only the store has them.
  shared<std::string> bytes;
};

template <class Inspector>
auto inspect(Inspector& f, content_block& x) {
  return f(caf::meta::type_name("troupe::content_block"), x.media_type, x.name,
           x.digest, x.size, x.bytes);
}

/// One message of a conversation.
struct chat_message {
  message_role role = message_role::user;
  /// What was said; for role tool the JSON text of the result.
  std::string text;
  /// What was said beside it.
  std::vector<content_block> blocks;
  /// Private reasoning: sent back within a run, never stored.
  std::string reasoning;
  /// Role assistant: the calls, in the model's order.
  std::vector<tool_call> calls;
  /// Role tool: which call this answers.
  std::string call_id;
  std::string tool_name;
  bool is_error = false;
  /// Shown to the model in this run only, never stored.
  bool temporary = false;
  /// Microseconds since the epoch.
  int64_t at = 0;
  /// Its number in the log of its conversation, which is not part of what is
  /// stored; 0: it is not there, or not known to be.
  uint64_t record = 0;
};

template <class Inspector>
auto inspect(Inspector& f, chat_message& x) {
  return f(caf::meta::type_name("troupe::chat_message"), x.role, x.text,
           x.blocks, x.reasoning, x.calls, x.call_id, x.tool_name, x.is_error,
           x.temporary, x.at, x.record);
}

using chat_message_ptr = shared<chat_message>;

/// What one run has used. Cached input tokens are part of the input tokens.
struct token_usage {
  uint64_t input_tokens = 0;
  uint64_t output_tokens = 0;
  uint64_t cached_tokens = 0;
};

template <class Inspector>
auto inspect(Inspector& f, token_usage& x) {
  return f(caf::meta::type_name("troupe::token_usage"), x.input_tokens,
           x.output_tokens, x.cached_tokens);
}

} // namespace troupe
