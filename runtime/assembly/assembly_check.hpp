#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/config/errc.hpp"

#include <vector>

namespace troupe {

/// All that is wrong with how the parts of an assembly have to do with each
/// other. Who they are is not looked at.
std::vector<fault> check_assembly(const assembly_settings& x);

/// The same of a definition and of every one in it, with places.
std::vector<fault> check_definition(const definition_settings& x);

/// Says where it is wrong, in `x`, unless that was said; see place_in_file.
void set_place(fault& what, const assembly_settings& x);

/// The key path that the message of a fault begins with, or nothing.
std::string path_of(const fault& what);

} // namespace troupe
