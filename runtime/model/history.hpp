#pragma once

#include "troupe/runtime/messages/chat_message.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// What a call was told whose result nobody knows.
inline constexpr auto lost_result
  = R"({"error":"interrupted: the outcome of this call is unknown"})";

/// A conversation as a provider accepts it.
struct repaired_history {
  std::vector<chat_message_ptr> messages;
  /// The results that were missing, among `messages` as well.
  std::vector<chat_message_ptr> added;
  /// Where the last message may stay open, what its calls have: a result, or
  /// null, for each of them. Empty when none is missing.
  std::vector<chat_message_ptr> open;
};

/// What becomes of calls without a result in the last message.
enum class open_turn_rule : uint8_t {
  /// They get one that says that it is lost.
  close,
  /// They stay, for who goes on with them.
  keep,
};

/// Puts a stored conversation in order: the results of each assistant message
/// follow it in the order of its calls, matched by occurrence when ids repeat,
/// each call has exactly one, results without a call are left out. Results are
/// stored as they arrive, so a crash or a cancel can leave them in any state.
/// Linear in the number of messages.
repaired_history repair_history(std::vector<chat_message_ptr> messages,
                                open_turn_rule rule = open_turn_rule::close);

/// The ids of `calls` made unique within their message, empty ones made up;
/// no provider accepts one twice.
void make_ids_unique(std::vector<tool_call>& calls);

} // namespace troupe
