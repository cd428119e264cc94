#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/model/openai_chunk.hpp"

namespace troupe {

/// What `said` means beside the HTTP `status`, 0 for an error in the middle of
/// a stream: the kind, and whether asking again may help. The message is the
/// provider's own and may hold secrets.
fault openai_fault(const openai_complaint& said, int status);

} // namespace troupe
