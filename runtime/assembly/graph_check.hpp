#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/config/errc.hpp"

#include <vector>

namespace troupe {

/// All that is wrong with a graph: names that are not there, nodes that cannot
/// be reached or lead nowhere, edges that say the same, joins that wait for
/// what does not run beside each other, conditions and templates that are none
/// or ask about what cannot have ended, ways that come together with different
/// inputs.
std::vector<fault> check_graph(const graph_settings& x);

} // namespace troupe
