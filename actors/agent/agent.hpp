#pragma once

#include "troupe/actors/run/run_spec.hpp"
#include "troupe/actors/run/unheard_interjection.hpp"
#include "troupe/actors/tools/compiled_tool.hpp"
#include "troupe/actors/tools/result_tool.hpp"
#include "troupe/config/agent_settings.hpp"
#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/runtime/model/context_plan.hpp"
#include "troupe/runtime/run/repeated_calls.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct helper_set;

/// An agent as a runtime knows it: checked once, shared by all of its runs.
struct agent_definition {
  agent_settings settings;
  std::vector<compiled_tool> tools;
  /// Who works for it; null: nobody.
  std::shared_ptr<const helper_set> helpers;
  /// Null: its answers are not checked.
  std::shared_ptr<const result_definition> result = nullptr;
};

using agent_definition_ptr = std::shared_ptr<const agent_definition>;

/// Files and commands that a step has from its run.
struct shared_sandbox {
  sandbox_actor actor;
  sandbox_settings policy;
};

/// What one run of an agent is started with.
struct agent_spec {
  run_spec run;
  agent_definition_ptr definition;
  /// A step's, unless its agent names a sandbox of its own.
  std::optional<shared_sandbox> sandbox;
  /// Tools of this run beside those of the agent; may be null.
  std::shared_ptr<const std::vector<compiled_tool>> more_tools;
  /// The tool whose first call that succeeds ends the run; empty: none does.
  std::string final_tool;
};

/// A tool that this run offers.
struct offered_tool {
  const compiled_tool* declared = nullptr;
  /// Started with its first call.
  tool_actor actor;
  /// Its calls are done by the host of the agent's run.
  bool is_order = false;
};

/// One call of the turn under way.
struct call_slot {
  tool_call call;
  /// Null while it has no result.
  chat_message_ptr result;
  /// What its result shows beside its text.
  std::vector<content_block> blocks;
  std::string state_patch;
  offered_tool* target = nullptr;
  bool is_started = false;
  /// An earlier owner of the run had started it, and nobody knows its outcome.
  bool was_started = false;
  /// Waits for a person, or for a helper that does.
  bool is_pending = false;
  bool waits_for_helper = false;
};

/// How much of the model's window the conversation takes.
struct context_window {
  /// Tokens; 0: unknown, so nothing is shortened before a provider refuses.
  uint64_t size = 0;
  context_use use;
  /// An estimate of fewer tokens is no reason to shorten: it was tried.
  uint64_t tried_at = 0;
};

/// How the model of a run gives a result that is checked.
enum class result_way : uint8_t {
  /// It gives none.
  none,
  /// Its answer is the result, in the form that the provider sees to.
  answer,
  /// It calls a tool with the result.
  call,
};

/// One run of one agent: the loop of model calls and tool calls, the owner of
/// all that it opens. Two coroutines never run at once: the loop, which can
/// be destroyed at any suspension, and the ending, which cannot.
struct agent_state : run_base {
  static inline const char* name = "agent";

  agent_definition_ptr definition;
  std::optional<shared_sandbox> lent;
  std::shared_ptr<const std::vector<compiled_tool>> more_tools;
  std::string final_tool;
  limit_settings limits;
  permission_settings permissions;

  // The conversation.
  shared<invocation> invoked;
  bool has_turn = false;
  std::vector<chat_message_ptr> system;
  std::vector<chat_message_ptr> messages;
  shared<std::string> state_json;
  /// Where the log of the conversation stands, and in it the last answer.
  uint64_t records = 0;
  uint64_t answer_record = 0;
  /// That of the run's input: what comes behind it is this run's. 0: all is.
  uint64_t input_record = 0;
  /// Of a resumed turn: results that are there, calls that had been started.
  std::vector<chat_message_ptr> settled;
  std::vector<call_intent> intents;

  // The model.
  model_actor model;
  std::string model_id;
  /// What it can do.
  model_capabilities can;
  shared<std::string> model_settings;
  shared<std::vector<tool_description>> descriptions;
  context_window window;
  troupe::result_way result_way = troupe::result_way::none;
  /// What the model is told with the next request and never again; may be
  /// empty.
  std::string reminder;
  /// The stream that is being read, to be ended with the run.
  model_stream_actor stream;
  /// The answer so far.
  chat_message answer;

  // The tools.
  std::vector<offered_tool> tools;
  sandbox_actor sandbox;
  std::vector<call_slot> calls;
  uint32_t active_calls = 0;
  bool exclusive_is_active = false;
  co::event calls_are_done;
  /// What this run has called so far.
  repeated_calls repeats;

  unheard_interjections interjections;

  co::scope running;
};

using agent_ptr = run_actor::stateful_pointer<agent_state>;

/// Starts at once; answers `await_run` when it has ended and lives on until
/// its last handle is gone.
run_actor::behavior_type agent_behavior(agent_ptr self, agent_spec spec);

} // namespace troupe
