#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/actors/agent_builder.hpp"
#include "troupe/actors/model/model_catalog.hpp"
#include "troupe/config/environment_layer.hpp"

#include "caf/expected.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// What agents are checked against.
struct catalog_sources {
  model_catalog_spec models;
  /// Tools of the application, found by name before the built-in ones.
  std::vector<tool> tools;
  environment_map environment;
};

/// The agents of a runtime by name: those built in C++ and those of the files
/// that the settings name. Everything that could fail in the middle of a run
/// fails here: a model that is not configured, a tool that does not exist, a
/// schema that is not valid, a sandbox that cannot be had.
/// `errc::configuration` says which agent and what.
caf::expected<std::map<std::string, agent_definition_ptr>>
load_agents(const std::vector<agent>& agents, const catalog_sources& sources);

/// The agent of one file, checked as a whole.
caf::expected<agent_definition_ptr>
load_agent_definition(const std::string& file, const catalog_sources& sources);

} // namespace troupe
