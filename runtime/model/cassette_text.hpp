#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/messages/model_messages.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// One answer of a model, to be written into a cassette.
struct recorded_turn {
  /// A piece of the last user message to expect; empty expects nothing.
  std::string last_user;
  /// What that message has beside its text, which is written without its bytes.
  std::vector<content_block> attachments;
  std::string reasoning;
  std::string text;
  std::vector<tool_call> calls;
  std::optional<token_usage> usage;
  /// Nothing: what the calls imply.
  std::optional<stop_reason> stop;
};

/// The head of a cassette; exchanges follow.
constexpr auto cassette_head = "cassette: 1\nexchanges:\n";

/// An exchange that `parse_cassette` reads back as exactly this turn. Strings
/// are in double quotes, ill-formed UTF-8 in them is replaced.
std::string to_cassette_text(const recorded_turn& x);

/// The same for an error that came after `pieces` pieces of an answer.
std::string to_cassette_text(const fault& what, size_t pieces);

} // namespace troupe
