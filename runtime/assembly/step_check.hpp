#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/config/errc.hpp"

#include <vector>

namespace troupe {

/// All that is wrong with the steps of a workflow: conditions that are none,
/// and what they and templates ask of steps that cannot have ended by then;
/// steps of one name, of which one would lose its result.
std::vector<fault> check_steps(const workflow_file_settings& x);

} // namespace troupe
