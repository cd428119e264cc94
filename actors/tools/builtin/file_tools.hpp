#pragma once

#include "troupe/actors/tools/tool.hpp"

#include <vector>

namespace troupe {

/// read_file, list_files, glob and grep: what only looks.
std::vector<tool> reading_tools();

/// write_file and replace_in_file. What they know of a file they overwrite is
/// what the session saw last, see `known_files.hpp`.
std::vector<tool> writing_tools();

} // namespace troupe
