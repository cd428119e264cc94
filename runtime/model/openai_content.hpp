#pragma once

#include "troupe/runtime/messages/chat_message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Appends the member `"content":[…]` of a message of the user: its text, then
/// its blocks. An image is a part `image_url` with a data: URL, a text a part
/// `text` that begins with its name, any other document a part `file`.
void append_openai_content(std::string& out, std::string_view text,
                           const std::vector<content_block>& blocks);

} // namespace troupe
