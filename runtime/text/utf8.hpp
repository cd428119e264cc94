#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// `text` with every ill-formed UTF-8 sequence replaced by U+FFFD, one for
/// each longest prefix of a character, as browsers do. Linear; any thread.
std::string sanitize_utf8(std::string_view text);

/// How many code points `text` has. Ill-formed bytes count as one each.
size_t count_code_points(std::string_view text);

/// The byte offset behind the first `count` code points of `text`; its size
/// when it has fewer. Never inside a character of well-formed text.
size_t code_point_offset(std::string_view text, size_t count);

/// The first `count` code points of `text`, and `…` where more followed.
std::string excerpt(std::string_view text, size_t count);

} // namespace troupe
