#pragma once

#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/messages/model_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

// How a conversation is kept within its model's window. Pure functions; the
// agent does what they decide.

/// The part of a window, in percent, at which a conversation is shortened, and
/// what is left of it then.
inline constexpr auto full_percent = uint64_t{85};
inline constexpr auto shortened_percent = uint64_t{50};

/// What is known of the tokens that a request takes beside its messages' bytes.
struct context_use {
  /// Bytes that every request has: system messages and tools.
  size_t fixed_bytes = 0;
  /// The tokens of the last request and its answer as the provider counted
  /// them; 0: it has not said.
  uint64_t counted_tokens = 0;
  /// As many of the oldest messages were counted, the answer included.
  size_t counted_messages = 0;
};

/// The bytes of a request that do not change with its conversation.
size_t fixed_bytes(const std::vector<chat_message_ptr>& system,
                   const std::vector<tool_description>& tools);

/// The tokens of a request with `messages`: four bytes for each (a text that is
/// attached counts with its bytes, an image as 1,500, any other document as one
/// for 32 of its bytes), or what the
/// provider counted and four bytes for each that has come since, whichever is
/// more. Too high costs a summary, too low a refused request.
uint64_t estimate_tokens(const std::vector<chat_message_ptr>& messages,
                         const context_use& use);

/// `percent` of a window.
constexpr uint64_t part_of(uint64_t window, uint64_t percent) {
  return window / 100 * percent + window % 100 * percent / 100;
}

/// Where a conversation may be cut.
enum class cut_rule : uint8_t {
  /// A summary stands before what is left.
  summarized,
  /// Nothing does, so what is left has to begin with something that the user
  /// said.
  dropped,
};

/// Which messages go.
struct context_cut {
  /// As many of the oldest; 0: none.
  size_t count = 0;
  /// Among them the one that stays: what the user asked last.
  std::optional<size_t> stays;
};

/// The fewest of the oldest whole groups (a message of the user, or an answer
/// with the results of all its calls) that have to go for the rest to take at
/// most `target` tokens; all but the last group where that is not enough.
/// What the user asked last stays, and so does the last group, which the model
/// has not seen. Linear in the number of messages.
context_cut plan_cut(const std::vector<chat_message_ptr>& messages,
                     const context_use& use, uint64_t target, cut_rule rule);

/// `messages` after `cut`, with `summary` before them where it is not null.
std::vector<chat_message_ptr> apply_cut(std::vector<chat_message_ptr> messages,
                                        const context_cut& cut,
                                        chat_message_ptr summary);

/// The first `count` messages as a text to be summarised, of at most
/// `max_bytes` bytes (0: any number). Where it would be longer, results of
/// tools are abridged, then everything; at last only its end is left.
std::string transcript_of(const std::vector<chat_message_ptr>& messages,
                          size_t count, size_t max_bytes);

} // namespace troupe
