#pragma once

#include <string>
#include <string_view>

namespace troupe {

// What bytes are. The bytes decide, not the name that somebody gave them.

/// "image/png", "image/jpeg", "image/gif", "image/webp" or "application/pdf" by
/// the first bytes; otherwise a text's type, where they are valid UTF-8 without
/// zeros: by the ending of `name`, or "text/plain". Empty: none of these.
std::string sniff_media_type(std::string_view bytes,
                             std::string_view name = {});

/// Whether models take it as an image: one of the four above.
bool is_image_type(std::string_view media_type);

/// Whether it is a text, which every model can read.
bool is_text_type(std::string_view media_type);

/// Whether `text` has the form of a media type: "type/subtype", with or without
/// parameters, of at most 127 printable characters.
bool is_media_type(std::string_view text);

} // namespace troupe
