#pragma once

#include "troupe/config/sandbox_settings.hpp"

#include "caf/timespan.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// What a run may use up. The first two end it as failed with kind `limit`,
/// the deadline ends it as partial.
struct limit_settings {
  /// Model calls of a run; at least 1.
  uint32_t max_turns = 25;
  uint32_t max_tool_calls = 200;
  caf::timespan deadline = std::chrono::minutes{10};
  /// Input and output tokens of a run; 0: as many as it takes.
  uint32_t max_tokens = 0;
  /// How deep agents may start others: 1 is an agent whose helpers start none.
  uint32_t max_depth = 3;
};

/// Limits that an agent file names; the rest comes from the configuration.
struct limit_overrides {
  std::optional<uint32_t> max_turns;
  std::optional<uint32_t> max_tool_calls;
  std::optional<caf::timespan> deadline;
  std::optional<uint32_t> max_tokens;
  std::optional<uint32_t> max_depth;
};

/// `x` but for what `over` names.
inline limit_settings with_overrides(limit_settings x,
                                     const limit_overrides& over) {
  x.max_turns = over.max_turns.value_or(x.max_turns);
  x.max_tool_calls = over.max_tool_calls.value_or(x.max_tool_calls);
  x.deadline = over.deadline.value_or(x.deadline);
  x.max_tokens = over.max_tokens.value_or(x.max_tokens);
  x.max_depth = over.max_depth.value_or(x.max_depth);
  return x;
}

/// How a model is made to answer in the form of a result schema.
enum class result_strategy : uint8_t {
  /// As the provider does by itself where the model can, else with a tool.
  automatic,
  native,
  /// The model calls a tool whose arguments are the result.
  tool,
};

enum class permission_mode : uint8_t { read_only, auto_allow, ask, approve };

/// The `permissions:` section, contract section 4.
struct permission_settings {
  permission_mode mode = permission_mode::read_only;
  /// Capabilities (read, glob, write, shell, fetch, search) allowed whatever
  /// the mode.
  std::vector<std::string> allow;
  std::vector<std::string> mcp_allow;
  /// Capability -> patterns that are asked; what they do not match is free.
  std::map<std::string, std::vector<std::string>> ask_when;
  std::map<std::string, std::vector<std::string>> approve_when;
};

struct definition_settings;
/// What an application defines in code, see assembly_builder.hpp.
struct own_definition;
/// What has happened in a run, see assembly_record.hpp.
struct assembly_record;

/// Makes an input out of that, in code.
using input_mapper = std::function<std::string(const assembly_record&)>;

/// Who takes part in an assembly or works for an agent, and how it is asked.
struct participant_settings {
  /// The name of a configured agent, or the absolute path of a file that
  /// names itself; empty where one of the next two is set.
  std::string agent;
  std::shared_ptr<const own_definition> own;
  /// What a file or an inline mapping defines.
  std::shared_ptr<const definition_settings> definition;
  /// A Mustache template; without it the asker decides.
  std::optional<std::string> input;
  /// In place of a template.
  input_mapper map;
  /// Whether it is shown the conversation so far.
  bool history = false;
  /// Whether it gets the application's values.
  bool context = false;
  std::optional<caf::timespan> timeout;
  /// How often it is asked again after an error of these kinds.
  uint32_t retries = 0;
  std::vector<std::string> retry_on;
};

/// A kind of helper that an agent may start.
struct subagent_settings {
  participant_settings participant;
  /// Of this kind in a run.
  uint32_t max = 4;
};

/// An assembly, or another agent, that an agent has as a tool.
struct assembly_tool_settings {
  participant_settings participant;
  std::string name;
  std::string description;
};

/// One agent file, contract section 2. Sections it leaves out come from the
/// configuration.
struct agent_settings {
  std::string name;
  std::string description;
  /// A role, or "connection:model-id"; empty: the default model.
  std::string model;
  /// The text of the prompt, read from `system_template` when that was given.
  std::string system_prompt;
  /// Absolute path of the Mustache file, or empty.
  std::string system_template;
  std::vector<std::string> tools;
  std::vector<assembly_tool_settings> assembly_tools;
  std::map<std::string, subagent_settings> subagents;
  std::optional<permission_settings> permissions;
  std::optional<sandbox_settings> sandbox;
  std::optional<workspace_settings> workspace;
  limit_overrides limits;
  /// Files of its workspace that are kept as artifacts of the run when it ends,
  /// however it does.
  std::vector<std::string> produces;
  /// The text of a JSON Schema object, or empty.
  std::string result_schema_json;
  troupe::result_strategy result_strategy = troupe::result_strategy::automatic;
  /// The file it was read from, or empty.
  std::string source;
  /// Its key path in that file; empty: it is the whole of it.
  std::string path;
  /// The folder of that file, which the FILE of a "cassette:FILE" counts from;
  /// empty: the working directory.
  std::string folder;
};

} // namespace troupe
