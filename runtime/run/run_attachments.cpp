#include "troupe/runtime/run/run_attachments.hpp"

#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/model/message_record.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe {

// Stored as a message without a text: its form says all that there is to say.

run_value make_attachments_value(const std::vector<content_block>& blocks,
                                 int64_t at) {
  auto message = chat_message{};
  message.blocks = blocks;
  message.at = at;
  return {attachments_value, at, encode_message(message), blobs_of(message)};
}

caf::expected<std::vector<content_block>>
read_attachments(const run_value& value) {
  auto message = decode_message(value.body, value.blobs);
  if (!message)
    return std::move(message.error());
  return std::move(message->blocks);
}

std::string attachments_json(const std::vector<content_block>& blocks) {
  if (blocks.empty())
    return {};
  auto list = nlohmann::ordered_json::array();
  for (const auto& block : blocks)
    list.push_back(block_json(block));
  auto result = nlohmann::ordered_json{};
  result["attachments"] = std::move(list);
  return result.dump();
}

} // namespace troupe
