#pragma once

#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/storage/run_records.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// The value of a run that has its attachments, so that a later process, a
/// worker or another owner, has what it was asked about.
inline constexpr auto attachments_value = "attachments";

run_value make_attachments_value(const std::vector<content_block>& blocks,
                                 int64_t at);

/// The attachments of a run, with their bytes where the value has them;
/// `errc::storage` where it is damaged.
caf::expected<std::vector<content_block>>
read_attachments(const run_value& value);

/// `{"attachments":[…]}`: what is shown of them. Empty where there are none.
std::string attachments_json(const std::vector<content_block>& blocks);

} // namespace troupe
