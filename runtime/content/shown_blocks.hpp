#pragma once

#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/model/model_capabilities.hpp"

#include <cstdint>
#include <vector>

namespace troupe {

/// Which blocks of a conversation go into a request: the newest, as long as
/// they fit. Take them from the newest to the oldest.
class block_budget {
public:
  explicit block_budget(uint64_t bytes = most_block_bytes) : left_(bytes) {
    // nop
  }

  /// Whether this one goes. Behind one that does not, none does: what is shown
  /// of a conversation has no holes.
  bool take(const content_block& block);

private:
  uint64_t left_;
};

/// The messages as a model that `can` do so much is shown them. A block that it
/// cannot see, or for which there is no room, becomes a line at the end of its
/// message's text that says what it was; the result of a tool says so already.
/// Messages without blocks stay as they are.
std::vector<chat_message_ptr>
show_blocks(std::vector<chat_message_ptr> messages,
            const model_capabilities& can);

} // namespace troupe
