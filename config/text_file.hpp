#pragma once

#include "caf/expected.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// The bytes of a regular file. One that is missing, unreadable, not regular
/// or larger than `limit` is `errc::configuration` about `path`.
caf::expected<std::string> read_text_file(const std::string& path,
                                          size_t limit);

/// The offset of the first byte of `text` that is not UTF-8 (overlong forms
/// and surrogates included), or nothing.
std::optional<size_t> find_bad_utf8(std::string_view text);

/// The offset of the first control character of `text` other than tab, line
/// feed and carriage return, or nothing.
std::optional<size_t> find_control(std::string_view text);

/// "NAME:LINE:COLUMN" of the byte at `offset`.
std::string place_of(std::string_view text, size_t offset,
                     std::string_view name);

/// `text` in backticks, fit for one line of a terminal: control characters
/// escaped, long text cut.
std::string quote(std::string_view text);

} // namespace troupe
