#include "troupe/runtime/content/shown_blocks.hpp"

#include <string>
#include <utility>

namespace troupe {

namespace {

/// Why a block is not shown; empty: it is.
std::string excuse(const content_block& block, const model_capabilities& can,
                   block_budget& budget) {
  if (is_image(block) && !can.images)
    return "this model takes no images";
  if (!is_image(block) && !is_text(block) && !can.documents)
    return "this model takes no documents but texts";
  if (!budget.take(block) || !block.bytes)
    return "newer ones leave no room for it";
  return {};
}

/// The same message without those that are not shown; null where all are.
chat_message_ptr shown(const chat_message& message,
                       const model_capabilities& can, block_budget& budget) {
  auto excuses = std::vector<std::string>(message.blocks.size());
  auto is_changed = false;
  for (auto i = message.blocks.size(); i-- > 0;) {
    excuses[i] = excuse(message.blocks[i], can, budget);
    is_changed = is_changed || !excuses[i].empty();
  }
  if (!is_changed)
    return {};
  auto result = message;
  result.blocks.clear();
  for (size_t i = 0; i < excuses.size(); ++i) {
    if (excuses[i].empty()) {
      result.blocks.push_back(message.blocks[i]);
      continue;
    }
    if (message.role == message_role::tool)
      continue; // its result is JSON, and names the file
    result.text += result.text.empty() ? "[" : "\n[";
    result.text += describe_block(message.blocks[i])
                   + " is not shown: " + excuses[i] + "]";
  }
  return chat_message_ptr{std::move(result)};
}

} // namespace

bool block_budget::take(const content_block& block) {
  if (block.size > left_) {
    left_ = 0;
    return false;
  }
  left_ -= block.size;
  return true;
}

std::vector<chat_message_ptr>
show_blocks(std::vector<chat_message_ptr> messages,
            const model_capabilities& can) {
  auto budget = block_budget{};
  for (auto i = messages.rbegin(); i != messages.rend(); ++i)
    if (!(*i)->blocks.empty())
      if (auto less = shown(**i, can, budget))
        *i = std::move(less);
  return messages;
}

} // namespace troupe
