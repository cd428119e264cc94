#pragma once

#include "troupe/actors/tools/tool_context.hpp"
#include "troupe/sandbox/sandbox_requests.hpp"

#include <string>

namespace troupe {

// The read tracker: the digest of each file as the session last read or wrote
// it, one member of the run state a file, so that calls at once do not take
// each other's. It is stored with the session, so it holds across processes.

/// What the session knows of the file at `path`, as a model wrote it.
file_precondition known_file(const tool_context& context,
                             const std::string& path);

/// Remembers the digest of the file whose canonical path is `canonical`.
void remember_file(const tool_context& context, const std::string& canonical,
                   const std::string& digest);

} // namespace troupe
