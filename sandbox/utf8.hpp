#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// The length of the valid UTF-8 sequence at the start of `text`, or 0.
size_t utf8_length(std::string_view text) noexcept;

/// `text` with every byte that is no part of valid UTF-8 replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

/// At most `bytes` bytes of valid UTF-8, cut between characters.
std::string_view cut_utf8(std::string_view text, size_t bytes) noexcept;

/// At most the first `count` characters of valid UTF-8.
std::string_view cut_characters(std::string_view text, size_t count) noexcept;

/// The characters of `text`. An invalid byte becomes a character of its own
/// (U+DC80 to U+DCFF), so that different bytes stay different.
std::u32string decode_utf8(std::string_view text);

} // namespace troupe
