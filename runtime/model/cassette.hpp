#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/messages/model_messages.hpp"
#include "troupe/runtime/model/model_capabilities.hpp"
#include "troupe/runtime/prompt/template_text.hpp"

#include "caf/expected.hpp"
#include "caf/timespan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe {

/// What an attachment must be; empty fields ask for nothing.
struct cassette_attachment {
  std::string name;
  std::string media_type;
  std::string digest;
  std::optional<uint64_t> size;
};

/// What a request must look like for an exchange to be played; empty fields
/// ask for nothing.
struct cassette_expectation {
  /// A piece of the last user message.
  std::string last_user;
  /// Images and documents of that message, perhaps among others.
  std::vector<cassette_attachment> attachments;
  /// The tool that the last tool result came from, and a piece of its text.
  std::string tool_name;
  std::string tool_contains;
  /// Tools that are offered, perhaps among others.
  std::vector<std::string> tools;
};

/// A tool call to be made.
struct cassette_call {
  /// Empty: made up from its place, the same each time it is played.
  std::string id;
  std::string name;
  /// JSON text; the strings in it are templates. Where `is_exact` it is the
  /// text that the model sends, object or not, and a template as a whole.
  std::string arguments = "{}";
  bool is_exact = false;
  /// Whether `arguments` as they stand are a JSON object.
  bool is_object = true;
};

/// An answer of the model.
struct cassette_reply {
  template_text reasoning;
  template_text text;
  std::vector<cassette_call> calls;
  /// Whether texts and arguments are templates; otherwise they are literal.
  bool is_template = true;
  stop_reason stop = stop_reason::end_turn;
  std::optional<token_usage> usage;
  /// Before the first piece.
  caf::timespan delay{0};
  /// Code points a piece; 0: reasoning and text are one piece each.
  uint32_t chunk = 0;
  /// Between pieces.
  caf::timespan chunk_delay{0};
};

/// A failure that is played once in a run before the next reply.
struct cassette_failure {
  errc kind = errc::network;
  std::string message;
  int32_t status = 0;
  caf::timespan retry_after{0};
  /// Pieces of the next reply that arrive before it.
  uint32_t after_chunks = 0;
};

struct cassette_exchange {
  cassette_expectation expect;
  std::variant<cassette_reply, cassette_failure> answer;
  /// "FILE:LINE:COLUMN".
  std::string where;
};

/// Model turns that were written down or recorded. Plain data, shared by all
/// runs that play it.
struct cassette {
  /// What messages call it, usually its path.
  std::string name;
  model_capabilities model;
  std::vector<cassette_exchange> exchanges;
};

/// Reads the text of a cassette, the form that the contract fixes, with four
/// additions: `attachments` in an expectation, `template: false` in a reply
/// turns its Mustache off, `arguments` may be a text (what the model sends,
/// JSON or not), and any error may have `after_chunks` and a `message`. `${…}`
/// is not expanded: it is text that models write. `errc::configuration` with
/// all that is wrong, see `to_faults`. Any thread.
caf::expected<cassette> parse_cassette(std::string_view text, std::string name);

/// As above for a file of at most 16 MiB.
caf::expected<cassette> load_cassette(const std::string& path);

} // namespace troupe
