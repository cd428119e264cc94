#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/actors/workflow/workflow.hpp"

#include "caf/expected.hpp"
#include "caf/timespan.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace troupe {

/// What a run is a run of: one of these is set.
struct run_definition {
  agent_definition_ptr agent;
  workflow_definition_ptr workflow;

  /// The word of `kind` in the run object.
  std::string kind() const {
    return workflow ? workflow->settings.kind : "agent";
  }

  const std::string& name() const noexcept {
    return workflow ? workflow->settings.name : agent->settings.name;
  }

  /// What it declares itself.
  std::optional<caf::timespan> deadline() const noexcept {
    return workflow ? workflow->settings.deadline
                    : agent->settings.limits.deadline;
  }
};

/// What a runtime can run, by name. Immutable once the runtime started.
struct run_catalog {
  std::map<std::string, agent_definition_ptr> agents;
  std::map<std::string, workflow_definition_ptr> workflows;
  /// Reads a file that another process ran.
  std::function<caf::expected<run_definition>(const std::string& file)>
    load_file;
};

using run_catalog_ptr = std::shared_ptr<const run_catalog>;

/// The agent called `name`; throws `co::failure` with the nearest name.
agent_definition_ptr find_agent(const run_catalog& catalog,
                                const std::string& name);

/// The agent or workflow that `request` names; throws `co::failure`, also
/// where its input is not what the workflow takes.
run_definition find_definition(const run_catalog& catalog,
                               const run_request& request);

/// That of a run of `kind` that another process began.
run_definition find_definition(const run_catalog& catalog,
                               const run_request& request,
                               const std::string& kind);

/// What a run is of that is only to be ended, whatever became of its agent.
run_definition bare_definition(const std::string& kind,
                               const std::string& name);

/// The workflows by name; `errc::configuration` where two runs would have one
/// name, or one is not well-formed.
caf::expected<std::map<std::string, workflow_definition_ptr>>
load_workflows(const std::vector<workflow>& all,
               const std::map<std::string, agent_definition_ptr>& agents,
               const sandbox_settings& sandbox);

} // namespace troupe
