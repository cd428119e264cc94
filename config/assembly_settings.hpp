#pragma once

#include "troupe/config/agent_settings.hpp"

#include "caf/timespan.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// A question about the output of a participant; exactly one of the three is
/// set, or the last in place of all else.
struct condition_settings {
  /// Whose output.
  std::string node;
  /// A JSON pointer into it; empty: the whole output.
  std::string pointer;
  /// The text of a JSON value.
  std::optional<std::string> equals;
  std::optional<std::string> contains;
  /// An RE2 expression.
  std::optional<std::string> matches;
  /// A question in code about all that has happened.
  std::function<bool(const assembly_record&)> holds;
};

/// From one node, or from several that are waited for, to another.
struct edge_settings {
  std::vector<std::string> from;
  std::string to;
  std::optional<condition_settings> when;
  /// A template for the input of `to` on this way.
  std::optional<std::string> input;
  /// In place of a template.
  input_mapper map;
  /// Kinds of errors of `from` that lead here; without it its success does.
  std::optional<std::vector<std::string>> on_error;
};

/// A `graph:`; see graph_plan.hpp for what it means.
struct graph_settings {
  std::map<std::string, participant_settings> nodes;
  std::string start;
  std::vector<edge_settings> edges;
  std::string finish;
  uint32_t max_concurrency = 4;
};

struct workflow_step_settings;

/// Asks a participant.
struct invoke_step_settings {
  participant_settings participant;
  /// The name of its result.
  std::string as;
};

/// Runs independent steps at once.
struct parallel_step_settings {
  std::vector<workflow_step_settings> steps;
  uint32_t max_concurrency = 4;
};

struct branch_step_settings {
  condition_settings when;
  std::vector<workflow_step_settings> then_steps;
  std::vector<workflow_step_settings> else_steps;
};

struct workflow_step_settings {
  std::variant<invoke_step_settings, parallel_step_settings,
               branch_step_settings>
    what;
};

/// A `workflow:`: steps one after the other.
struct workflow_file_settings {
  std::vector<workflow_step_settings> steps;
};

/// A `swarm:`: members that hand over to each other.
struct swarm_settings {
  std::map<std::string, participant_settings> members;
  std::string start;
  /// Who may hand over to whom.
  std::map<std::string, std::vector<std::string>> handoffs;
  uint32_t max_steps = 10;
  /// How often one member may hand over to the same other one.
  uint32_t max_handoff_repeats = 2;
};

/// A file that defines an assembly, contract section 6.
struct assembly_settings {
  std::string name;
  std::string description;
  std::variant<graph_settings, workflow_file_settings, swarm_settings> what;
  std::optional<sandbox_settings> sandbox;
  std::optional<workspace_settings> workspace;
  /// Of one run.
  std::optional<caf::timespan> deadline;
  /// The file it was read from, or empty.
  std::string source;
  /// Its key path in that file; empty: it is the whole of it.
  std::string path;

  /// The contract's word for it: graph, workflow or swarm.
  std::string kind() const;
};

/// What a file or an inline mapping defines.
struct definition_settings {
  std::variant<agent_settings, assembly_settings> what;
};

} // namespace troupe
