#pragma once

#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/messages/session_messages.hpp"

#include "caf/expected.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

// How a chat message is stored: a CBOR map (RFC 8949) with short keys, absent
// where empty. On disk: keys are never used again for something else.
//   r role (0 system, 1 user, 2 assistant, 3 tool)   t text
//   c calls: array of [id, name, arguments, raw]     i call id   n tool name
//   e true where the result is an error              @ time, microseconds
//   b blocks: array of [media type, name]; their bytes, digests and sizes are
//     those of the record's blobs, in the same order

/// The stored form of `message`, without its private reasoning.
std::string encode_message(const chat_message& message);

/// The blobs of its record.
std::vector<stored_blob> blobs_of(const chat_message& message);

/// The message of a record, its blocks by type and name only; `errc::storage`
/// when it is none.
caf::expected<chat_message> decode_message(std::string_view record);

/// The same with what the record says of its blocks.
caf::expected<chat_message>
decode_message(std::string_view record, const std::vector<stored_blob>& blobs);

/// The stored form of a run state, the text of a JSON object, and back.
std::string encode_state(std::string_view state_json);
caf::expected<std::string> decode_state(std::string_view record);

/// The stored form of a call that is about to start, and back.
std::string encode_intent(const call_intent& intent);
caf::expected<call_intent> decode_intent(std::string_view record);

/// The stored form of a summary, and back.
std::string encode_summary(const history_summary& summary);
caf::expected<history_summary> decode_summary(std::string_view record);

/// The message in which a model is told a summary.
chat_message summary_message(const history_summary& summary, int64_t at);

/// The text of the summary that `message` tells a model; empty when it is any
/// other message.
std::string_view summary_text(const chat_message& message);

/// The form of `sessions show`: role, content blocks, time, and its number.
nlohmann::ordered_json message_json(const chat_message& message, uint64_t seq);

} // namespace troupe
