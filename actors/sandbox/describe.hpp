#pragma once

#include "troupe/config/sandbox_settings.hpp"

#include <string>

namespace troupe {

class workspace;

/// What a model must know of where it works: a few lines that stay the same
/// for the same policy. `where` is null for the virtual sandbox and for a
/// remote one.
std::string describe_policy(const sandbox_settings& policy,
                            const workspace* where);

} // namespace troupe
