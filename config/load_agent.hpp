#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/config/environment_layer.hpp"
#include "troupe/config/settings.hpp"

#include "caf/expected.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace troupe {

/// Reads an agent file, and the text of its `system_template`. Every error of
/// the file is in the one that is returned (`to_faults`). Whether its model
/// is configured is for `validate(agent, settings)` to say, and whether its
/// tools exist for those who know the tools.
caf::expected<agent_settings>
load_agent_file(const std::string& path, const environment_map& environment);

/// Reads a file that defines an agent or an assembly, and the files that it
/// names; as above. What the parts of an assembly have to do with each other is
/// for its plan to check.
caf::expected<std::shared_ptr<const definition_settings>>
load_definition_file(const std::string& path,
                     const environment_map& environment);

/// What could be read of a file, and what is wrong with it.
struct read_definition {
  /// Null where nothing could. What is wrong was left out of it.
  std::shared_ptr<const definition_settings> found;
  caf::error wrong;
};

/// As above for those who have more to say about it.
read_definition read_definition_file(const std::string& path,
                                     const environment_map& environment);

/// As above for the text of an agent file, which messages call `name`. Its
/// `system_template` counts from `folder`.
caf::expected<agent_settings>
parse_agent(std::string_view text, const std::string& name,
            const std::string& folder, const environment_map& environment);

/// Reads a sandbox policy file, contract section 5.
caf::expected<sandbox_settings>
load_sandbox_file(const std::string& path, const environment_map& environment);

/// Where the key `path`, such as "model" or "nodes.b.tools[1]", stands in
/// `file`: "FILE:LINE:COLUMN" of it, or else of the nearest key around it that
/// is there; the file alone when it cannot be read. For messages: reads the
/// file again.
std::string place_in_file(const std::string& file, const std::string& path);

/// That of a key of an agent, or "agent NAME" of one that was built in C++.
std::string place_in_agent(const agent_settings& x, const std::string& path);

/// "nodes.b" and "tools[1]" as one path; either may be empty.
std::string join_paths(const std::string& x, const std::string& y);

} // namespace troupe
