#pragma once

#include <cstdint>
#include <string_view>

namespace troupe {

// Which parts of the JSON of chat completions are read, as a table.

/// Where in the answer the parser stands.
enum class openai_place : uint8_t {
  ignored,
  root,
  choices,
  choice,
  delta,
  parts,
  part,
  calls,
  call,
  function,
  arguments,
  usage,
  usage_details,
  error,
};

/// Which field a string or number is the value of.
enum class openai_field : uint8_t {
  none,
  text,
  reasoning,
  reasoning_content,
  refusal,
  finish_reason,
  call_index,
  call_id,
  call_name,
  call_arguments,
  input_tokens,
  output_tokens,
  cached_tokens,
  object,
  note,
  error_message,
  error_code,
  error_type,
};

/// What a key means where it stands: the field of a plain value, and the place
/// that an object or array opens. The key of an array's elements is empty.
struct openai_rule {
  openai_place where;
  std::string_view key;
  openai_field value;
  openai_place opens;
};

/// The rule for `key` where it stands; one that ignores all when there is none.
const openai_rule& openai_rule_for(openai_place where, std::string_view key);

} // namespace troupe
