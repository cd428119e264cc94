#pragma once

#include "troupe/config/sandbox_settings.hpp"
#include "troupe/runtime/co/task.hpp"

#include "caf/error.hpp"
#include "caf/timespan.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace troupe {

class workflow_context;
struct agent_definition;
struct participant;

/// What a workflow declares.
struct workflow_settings {
  std::string name;
  std::string description;
  /// The word of `kind` in the run object: workflow, swarm or graph.
  std::string kind = "workflow";
  /// The file it was read from, or empty.
  std::string source;
  /// Where its files are and what its agents may do; the configured one where
  /// it names none.
  std::optional<sandbox_settings> sandbox;
  std::optional<workspace_settings> workspace;
  /// Of one run from its start, or from when it is gone on with.
  std::optional<caf::timespan> deadline;
};

/// A workflow as a runtime knows it: shared by all of its runs.
struct workflow_definition {
  workflow_settings settings;
  /// Takes the run's input, gives its response.
  std::function<co::task<std::string>(workflow_context, std::string)> body;
  /// What is wrong with an input; empty: nothing ever is.
  std::function<caf::error(const std::string&)> check;
  /// The response is JSON, and so the output of the run.
  bool gives_json = false;
  /// Who takes part in an assembly, by the names that it calls them; none where
  /// code decides.
  std::map<std::string, std::shared_ptr<const participant>> members;
  /// Set where it is the host of an agent and those that work for it.
  std::shared_ptr<const agent_definition> main;
};

using workflow_definition_ptr = std::shared_ptr<const workflow_definition>;

/// A workflow in the making: a name and a coroutine. A value; it is checked
/// when a runtime takes it. See `make_workflow` for one over structs.
class workflow {
public:
  using coroutine
    = std::function<co::task<std::string>(workflow_context, std::string)>;

  /// `body` is run from its top whenever a run starts or is gone on with.
  workflow(std::string name, coroutine body);

  explicit workflow(workflow_definition definition);

  workflow& description(std::string text);
  workflow& sandbox(sandbox_settings policy);
  workflow& workspace(workspace_settings where);
  workflow& deadline(caf::timespan limit);

  /// Immutable: what is changed above is a new one.
  const workflow_definition_ptr& definition() const noexcept {
    return definition_;
  }

private:
  template <class F>
  workflow& change(F f);

  workflow_definition_ptr definition_;
};

} // namespace troupe
