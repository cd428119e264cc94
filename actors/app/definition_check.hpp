#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/config/settings.hpp"

#include "caf/error.hpp"

#include <string>
#include <vector>

namespace troupe::app {

/// Whether a file defines an agent or an assembly, and is no configuration.
bool is_definition(const std::string& file);

/// What is wrong with the file of an agent or assembly and those it names,
/// whatever they are used with.
std::vector<fault> faults_in(const std::string& file);

/// Everything that would fail when a run of what is configured starts, without
/// starting anything; of `file` too, an agent or assembly, unless it is empty.
caf::error check_definitions(const settings& settings, const std::string& file);

} // namespace troupe::app
