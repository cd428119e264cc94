#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/config/errc.hpp"

#include <vector>

namespace troupe {

/// All that is wrong with who hands over to whom in a swarm, and with the
/// templates of its members.
std::vector<fault> check_swarm(const swarm_settings& x);

} // namespace troupe
