#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/runtime/assembly/assembly_faults.hpp"

namespace troupe {

/// Looks at the edges of each node together: those that say the same, or of
/// which two would always be meant, and nodes that only go on after errors.
void check_edges_of_nodes(const graph_settings& x, assembly_faults& wrong);

} // namespace troupe
