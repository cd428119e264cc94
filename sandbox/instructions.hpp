#pragma once

#include "troupe/sandbox/sandbox_scope.hpp"

#include <string>

namespace troupe {

/// What a model must know of where it works: a few lines that are the same for
/// the same authority.
std::string instructions(const sandbox_authority& held);

} // namespace troupe
