#pragma once

#include "troupe/runtime/text/utf8.hpp"

#include "caf/expected.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

// JSON that others wrote. nlohmann's parser is iterative, but copying and
// printing a value recurse; so nothing deeper than this is ever made.

/// The deepest nesting of objects and arrays that is read.
constexpr size_t max_json_depth = 200;

/// The value that `text` holds. Text that is no JSON, no UTF-8, out of a
/// number's range or nested deeper than `max_json_depth` is an error of kind
/// protocol that says where. Any thread.
caf::expected<nlohmann::json> parse_json(std::string_view text);

/// As `parse_json`, and anything but an object is an error too.
caf::expected<nlohmann::json> parse_object(std::string_view text);

/// The compact text of `value`. Never fails: ill-formed UTF-8 in strings is
/// replaced. `value` must not be deeper than `max_json_depth`.
std::string dump_json(const nlohmann::json& value);

/// Whether `value` is nested deeper than `limit`. Does not recurse.
bool is_deeper_than(const nlohmann::json& value, size_t limit);

/// "null", "boolean", "number", "string", "array" or "object".
std::string_view json_type_name(const nlohmann::json& value);

} // namespace troupe
