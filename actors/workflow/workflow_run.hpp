#pragma once

#include "troupe/actors/run/run_catalog.hpp"
#include "troupe/actors/run/run_spec.hpp"
#include "troupe/actors/run/unheard_interjection.hpp"
#include "troupe/actors/workflow/workflow.hpp"
#include "troupe/actors/workflow/workflow_context.hpp"
#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// What one run of a workflow is started with.
struct workflow_spec {
  run_spec run;
  workflow_definition_ptr definition;
  /// Where its agents are found.
  run_catalog_ptr catalog;
  /// A step's, unless it names one of its own.
  std::optional<shared_sandbox> sandbox;
  /// A host's, for its agent: see `agent_spec`.
  std::shared_ptr<const std::vector<compiled_tool>> more_tools;
  std::string final_tool;
};

struct helper_table;

/// A participant that runs, until its end is recorded.
struct participant_step {
  /// Of all steps of this workflow.
  std::string name;
  std::string participant;
  run_actor actor;
  /// It is the agent that this host is for, and no step of its own.
  bool is_main = false;
  /// Its object, when it has ended.
  run_object object;
  co::event is_over;
};

/// One run of one workflow: its coroutine, and what that has open. As with an
/// agent's run, the loop can be destroyed at any suspension, the ending cannot.
struct workflow_state : run_base {
  static inline const char* name = "workflow";

  workflow_definition_ptr definition;
  run_catalog_ptr catalog;
  shared<invocation> invoked;
  /// Set where this is the host of an agent; and what they may use up.
  std::shared_ptr<helper_table> helpers;
  std::shared_ptr<run_budget> budget;
  std::shared_ptr<const std::vector<compiled_tool>> more_tools;
  std::string final_tool;

  /// What the names of its values begin with in the store: those of a step are
  /// told from those of others.
  std::string prefix;
  /// What is stored of the run, by name: the text of JSON values.
  std::map<std::string, std::string> values;
  std::string resume_input;
  /// Names that were given since the run was entered.
  std::set<std::string> used;
  /// How often what has no name of its own was done since then.
  std::map<std::string, uint32_t> counts;
  /// Checkpoints that run right now.
  uint32_t open_checkpoints = 0;

  /// Participants that run right now.
  std::vector<std::shared_ptr<participant_step>> active;
  /// Set when there are none.
  co::event all_over;
  /// Set when one begins, or the run ends.
  co::event someone_works;
  /// What those that have stopped wait for: persons, and else the first.
  std::vector<pending_approval> approvals;
  std::optional<run_suspension> waits_for;
  /// The last step of each participant, by its name.
  std::map<std::string, std::string> last_steps;
  /// The step whose answer is that of the workflow; empty: nobody knows yet.
  std::string answering;
  /// What it answered last, or said when its time was up.
  std::optional<std::string> last_answer;
  /// Some of the answer was seen by readers.
  bool has_streamed = false;

  /// The conversation: what was said in it, and how many records its log has.
  bool has_turn = false;
  std::vector<chat_message_ptr> said;
  uint64_t records = 0;
  /// The state that its last run left; nothing before it was read.
  std::optional<std::string> session_state;
  /// What was said to the run when nobody in it could hear it any more.
  unheard_interjections unheard_said;

  /// Lent, or opened when it is first needed.
  sandbox_actor sandbox;
  bool has_lent_sandbox = false;
  sandbox_settings policy;

  /// Never set: what waits for it goes on in another leg.
  co::event next_leg;
  co::scope running;
};

using workflow_ptr = workflow_actor::stateful_pointer<workflow_state>;

/// The key of the root that runs the workflow.
inline constexpr auto flow_key = co::frame_key{0, 1};

/// The key of the roots that each follow one participant to its end.
inline constexpr auto participant_key = co::frame_key{0, 2};

/// The key of the roots that each have a helper do a turn.
inline constexpr auto helper_key = co::frame_key{0, 4};

/// Shows the answer in one piece, unless readers have seen it come.
void show_answer(workflow_ptr self);

/// Starts at once; answers `await_run` when it has ended and lives on until
/// its last handle is gone.
workflow_actor::behavior_type workflow_behavior(workflow_ptr self,
                                                workflow_spec spec);

/// Where in a run a context stands.
struct workflow_context::place {
  workflow_ptr self;
  /// The checkpoint it is in, or empty.
  std::string checkpoint;
};

// What the parts of a workflow's run have in common.

/// A context of the run outside its checkpoints.
workflow_context context_of(workflow_ptr self);

/// Throws `co::failure` where `why` says something.
void throw_if(caf::error why);

/// Claims the name of a value, "checkpoint/NAME": throws where it was used
/// since the run was entered.
void claim_name(workflow_state& state, const std::string& name);

/// Tells those that would have one name apart: "NAME", "NAME#2"…
std::string next_name(workflow_state& state, const std::string& name);

/// Keeps a value with the run; with the next commit it is stored.
void keep_value(workflow_state& state, const std::string& name,
                std::string text);

/// Ends the run, whatever it is doing. Only the first call counts.
void begin_ending(workflow_ptr self, run_outcome outcome);

} // namespace troupe
