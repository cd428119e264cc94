#pragma once

#include "troupe/actors/workflow/participant.hpp"
#include "troupe/actors/workflow/workflow.hpp"
#include "troupe/config/assembly_settings.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe {

/// Finds what a participant names or defines; an empty definition where it
/// reported that there is none. `path` is its key in the assembly.
using participant_finder = std::function<run_definition(
  const participant_settings& who, const std::string& path)>;

/// Makes the definition of an assembly out of what a file or a builder says;
/// what is wrong with its parts goes to `wrong`, all of it.
workflow_definition_ptr make_assembly(const assembly_settings& settings,
                                      const participant_finder& find,
                                      std::vector<fault>& wrong);

} // namespace troupe
