#pragma once

#include "troupe/config/errc.hpp"

#include <string>
#include <vector>

namespace troupe {

/// What is wrong with the form of files, and behind it what is wrong with the
/// meaning of what could be read of them: each once, and nothing of the second
/// kind that only follows from the first.
std::vector<fault> merged_faults(const std::vector<fault>& of_form,
                                 const std::vector<fault>& of_meaning);

/// Whether one of `all` is in the definition at the key `path` of `file`.
bool is_among(const std::vector<fault>& all, const std::string& file,
              const std::string& path);

} // namespace troupe
