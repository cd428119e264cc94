#pragma once

#include "troupe/config/settings.hpp"

#include "caf/error.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

class yaml_reader;

/// A value that fits its type and still cannot be used.
struct settings_issue {
  /// The key path, for example "limits.max_turns".
  std::string path;
  std::string message;
  std::string hint;
};

/// What is wrong with `x` across its sections: targets whose connection is
/// not configured, zeros that would wait forever, limits that cancel each
/// other out.
std::vector<settings_issue> find_issues(const settings& x);

/// As above for an agent alone; `path` of an issue is that in its file.
std::vector<settings_issue> find_issues(const agent_settings& x);

/// As above for a sandbox policy alone.
std::vector<settings_issue> find_issues(const sandbox_settings& x);

/// Reports `issues` to `reader` at their places, but for those about keys that
/// could not be read in the first place. They are those of the mapping at the
/// path `within`, whose places are given, or of its `section`, "sandbox.".
void report_issues(const std::vector<settings_issue>& issues,
                   yaml_reader& reader,
                   const std::map<std::string, std::string>& places,
                   const std::string& within = {},
                   const std::string& section = {});

/// `errc::configuration` with all issues, or none. For settings built in C++;
/// `load_settings` has done it.
caf::error validate(const settings& x);

/// Whether the model of `agent` can be resolved with `x`, and its other
/// settings can be used.
caf::error validate(const agent_settings& agent, const settings& x);

} // namespace troupe
