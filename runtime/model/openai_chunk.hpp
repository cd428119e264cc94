#pragma once

#include "troupe/runtime/messages/chat_message.hpp"

#include "caf/error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Part of a tool call, as one chunk has it; the strings may be empty.
struct openai_call_piece {
  std::optional<int64_t> index;
  std::string id;
  std::string name;
  std::string arguments;
};

/// What a provider says of an error. The strings may be empty.
struct openai_complaint {
  std::string message;
  /// A word such as "context_length_exceeded".
  std::string code;
  std::string type;
  /// An HTTP status where one was given in the body, else 0.
  int64_t status = 0;
};

/// The fields of an answer that matter: of one chunk of a stream, or of a
/// whole answer, whose `message` is read as the `delta` of one chunk.
struct openai_chunk {
  bool has_choice = false;
  std::string text;
  std::string reasoning;
  std::string refusal;
  std::string finish_reason;
  std::vector<openai_call_piece> calls;
  std::optional<token_usage> usage;
  /// Whether it reports an error in place of an answer.
  bool is_error = false;
  openai_complaint complaint;
};

/// Reads the JSON of chat completions into the fields that matter, without a
/// value for everything else: a tenth of the cost of a JSON tree for each
/// event of a stream. Reusable, one thread.
class openai_chunk_parser {
public:
  openai_chunk_parser();
  ~openai_chunk_parser();

  /// What `json` says, valid until the next call. Null when it is no JSON
  /// object, or nested too deep to be an answer.
  const openai_chunk* parse(std::string_view json);

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace troupe
