#pragma once

#include "troupe/storage/session_records.hpp"

#include "caf/expected.hpp"

#include <nlohmann/json_fwd.hpp>

namespace troupe {

// The lines of an exported session, see session_text.hpp. Errors of reading are
// `errc::configuration` without a place.

/// The first line: the names of a session and how many records follow.
nlohmann::ordered_json head_line(const session_summary& head);
caf::expected<session_summary>
read_head_line(const nlohmann::ordered_json& line);

/// One record, with the bytes of those of its blobs that have them. Fails only
/// where its body is no record of its kind.
caf::expected<nlohmann::ordered_json> record_line(const session_record& record);
caf::expected<session_record>
read_record_line(const nlohmann::ordered_json& line);

} // namespace troupe
