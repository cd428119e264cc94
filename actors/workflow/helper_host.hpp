#pragma once

#include "troupe/actors/workflow/helper_set.hpp"
#include "troupe/actors/workflow/workflow_run.hpp"
#include "troupe/runtime/co/task.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace troupe {

// An agent with helpers runs under a workflow of its own, its host: the agent
// is its main participant and stands in the run as if there were no host, and
// those that work for it are steps. So the host owns them all, and what it
// knows of them is stored with the run.

enum class helper_status : uint8_t {
  running,
  /// For a person, or for input.
  waiting,
  completed,
  failed,
  stopped,
};

/// Something that an agent ordered: a subagent, or one call of an assembly.
struct helper {
  /// The name of its first step: "research-1".
  std::string id;
  /// Of subagents, or the name of the tool.
  std::string kind;
  bool is_subagent = true;
  participant_ptr who;
  /// How often it was asked, and what the last time.
  uint32_t turn = 1;
  std::string input;
  helper_status status = helper_status::running;
  /// A turn of it has not come to its end, and since when.
  bool is_at_work = false;
  int64_t at_work_since = 0;
  /// What it answered last: text, or JSON where it gives that.
  participant_answer answer;
  fault why;
};

using helper_ptr = std::shared_ptr<helper>;

/// What a host knows of those that work for its agent.
struct helper_table {
  agent_definition_ptr agent;
  std::map<std::string, helper_ptr> all;
  /// How many there were of a kind.
  std::map<std::string, uint32_t> counts;
  /// Set when anything about one of them is new; to be reset before one waits.
  co::event changed;
};

/// The host of an agent with helpers, as a workflow.
workflow_definition_ptr host_definition(agent_definition_ptr agent);

/// Does what the agent's model orders.
co::task<helper_reply> obey(workflow_ptr self, helper_order order);

/// A step of the run began, or came to rest.
void note_step(workflow_ptr self, const participant_step& one);

// For the parts of this.

/// Makes a helper and has it begin. `call` names the value that says so, which
/// is stored with it.
helper_ptr start_helper(workflow_ptr self, const std::string& kind,
                        bool is_subagent, std::string input,
                        const std::string& call);

/// Has a helper go on with `input`; `call` as above.
void go_on(workflow_ptr self, const helper_ptr& one, std::string input,
           const std::string& call);

/// Waits until it has nothing to do, or waits itself.
co::task<void> await_helper(workflow_ptr self, helper_ptr one);

/// The step that it works in; null where there is none right now.
std::shared_ptr<participant_step> step_of(const workflow_state& state,
                                          const helper& one);

/// Ends it for good.
co::task<void> stop_helper(workflow_ptr self, helper_ptr one);

} // namespace troupe
