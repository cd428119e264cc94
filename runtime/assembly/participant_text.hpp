#pragma once

#include "troupe/runtime/assembly/assembly_record.hpp"

#include "caf/expected.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Fills in a template over `{input, results.NAME.output, results.NAME.error,
/// context}`. An output that is a JSON object or list can be walked into. What
/// somebody has not answered yet is nothing. Errors: configuration.
caf::expected<std::string> fill_input(const std::string& text,
                                      const assembly_record& so_far);

/// The input of whoever has no template: the task, and behind it what the
/// participants `before` said, each with its name.
std::string default_input(const assembly_record& so_far,
                          const std::vector<std::string>& before);

/// All that was said so far, in earlier runs and each in this one with its
/// name; empty when nothing was.
std::string transcript(const assembly_record& so_far);

} // namespace troupe
