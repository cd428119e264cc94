#pragma once

#include "troupe/runtime/assembly/output_condition.hpp"

#include "caf/expected.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// What has happened in one run of an assembly so far, as its participants may
/// be told.
struct assembly_record {
  /// What the assembly was asked.
  std::string task;
  /// What was asked and answered in the earlier runs of the session, as text.
  std::string earlier_runs;
  /// The application's values: the text of a JSON object, or empty.
  std::string context_json;
  participant_outputs outputs;
  /// Why participants have none.
  std::map<std::string, std::string> errors;
  /// Those who have answered or failed, in order; one may be there twice.
  std::vector<std::string> order;
};

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
