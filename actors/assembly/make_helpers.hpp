#pragma once

#include "troupe/actors/assembly/make_assembly.hpp"
#include "troupe/actors/workflow/helper_set.hpp"

#include <memory>
#include <vector>

namespace troupe {

/// Makes those that work for an agent out of what its file says; null where it
/// has none. `find` is asked for those that are defined in place; those that
/// are named are found when they are needed. What is wrong goes to `wrong`.
std::shared_ptr<helper_set> make_helpers(const agent_settings& x,
                                         const participant_finder& find,
                                         std::vector<fault>& wrong);

} // namespace troupe
