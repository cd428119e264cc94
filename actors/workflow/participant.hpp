#pragma once

#include "troupe/actors/run/run_catalog.hpp"
#include "troupe/actors/tools/compiled_tool.hpp"
#include "troupe/actors/workflow/workflow_context.hpp"
#include "troupe/runtime/co/task.hpp"

#include "caf/timespan.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Who an assembly can ask, and how. Immutable, shared by all of its runs.
struct participant {
  /// As the assembly calls it.
  std::string name;
  run_definition what;
  /// Whether it gets the application's values.
  bool has_context = true;
  /// Of one try.
  std::optional<caf::timespan> timeout;
  /// Tries after the first, for errors of these kinds.
  uint32_t retries = 0;
  std::vector<std::string> retry_on;
  /// See `agent_spec`.
  std::shared_ptr<const std::vector<compiled_tool>> more_tools;
  std::string final_tool;
};

using participant_ptr = std::shared_ptr<const participant>;

/// What a participant has come to.
struct participant_answer {
  std::string text;
  /// The arguments of the call that ended its run, or empty.
  std::string final_call_json = {};
  /// See `run_object::output_json`.
  std::string output_json = {};
};

/// One of several turns of a participant in one conversation.
struct step_turn {
  /// The name of the step.
  std::string step;
  /// That of the step whose conversation it is.
  std::string conversation;
};

/// What is asked of a participant.
struct participant_order {
  std::string input;
  /// Its answer is that of the assembly, so it streams as such.
  bool is_answer = false;
  /// The participants that led to it; none: it is where the assembly begins, or
  /// nobody knows.
  std::vector<std::string> before = {};
  /// Without it, it is a conversation of its own.
  std::optional<step_turn> turn = {};
};

/// Runs a participant as a step of this run: in the run's sandbox unless it
/// names one of its own, in a conversation of its own, its usage counted in the
/// run's. Throws why it has no answer. Each try is a step. A run that is gone
/// on with has the answers that are stored, and goes on in the conversations
/// that are not at their end; `order.input` counts the first time.
co::task<participant_answer> ask_participant(workflow_context flow,
                                             participant_ptr who,
                                             participant_order order);

} // namespace troupe
