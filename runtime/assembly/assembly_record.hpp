#pragma once

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// What participants have answered so far, by their names.
using participant_outputs = std::map<std::string, std::string>;

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

} // namespace troupe
