#pragma once

#include "troupe/sandbox/sandbox_requests.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

struct replaced_text {
  std::string text;
  uint64_t count = 0;
};

/// Replaces `request.old_text` in `text`, the content of `request.path`.
/// Errors (kind tool): nothing to replace, not found, several places without
/// `all`, a result of more than `most` bytes.
caf::expected<replaced_text>
replace_text(const replace_in_file_request& request, std::string_view text,
             uint64_t most);

} // namespace troupe
