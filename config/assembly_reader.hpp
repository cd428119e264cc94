#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/config/participant_reader.hpp"

namespace troupe {

/// Fills in what a mapping with the key `graph`, `workflow` or `swarm` says;
/// its faults go to the reader.
assembly_settings read_assembly(const yaml_value& mapping,
                                definition_source& from);

} // namespace troupe
