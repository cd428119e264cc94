#pragma once

#include "troupe/actors/run/run_registry.hpp"

#include <cstdint>
#include <string>

namespace troupe {

/// Sees to it, while there are runs in a store that other processes have as
/// well, that they know who works on them, and that this process hears when
/// they want one cancelled, or have taken it.
void keep_leases(registry_ptr self);

/// Says of a run whose actor died without a word that it was interrupted.
void mark_interrupted(registry_ptr self, const std::string& run_id,
                      uint64_t epoch);

} // namespace troupe
