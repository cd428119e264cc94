#pragma once

#include "troupe/actors/workflow/participant.hpp"
#include "troupe/actors/workflow/workflow_context.hpp"
#include "troupe/runtime/assembly/participant_text.hpp"
#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/co/task.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A participant of an assembly in a file, and what it is asked.
struct assembly_member {
  participant_ptr who;
  /// Its template, where it has one.
  std::optional<std::string> input;
  /// In place of a template.
  input_mapper map;
  /// Whether it is told all that was said before.
  bool has_history = false;
};

/// One run of an assembly: what its coroutines share. They run on one actor.
struct assembly_walk {
  assembly_record so_far;
  /// The checked results among the outputs: JSON texts.
  std::map<std::string, std::string> results;
  /// Participants that may run at once, and those that do.
  uint32_t most_at_once = 4;
  uint32_t active = 0;
  co::event has_room;
};

using assembly_walk_ptr = std::shared_ptr<assembly_walk>;

/// Makes what a run of an assembly begins with.
assembly_walk_ptr begin_walk(const workflow_context& flow, std::string task,
                             uint32_t most_at_once);

/// How a member is asked this time.
struct member_order {
  /// A template, or code, that counts in place of the member's.
  std::optional<std::string> input;
  input_mapper map;
  /// What it is asked where there is no template; empty: the task, and what
  /// those before it said.
  std::string text;
  /// Whose answers led here.
  std::vector<std::string> before;
  bool is_answer = false;
};

/// Asks a member, when there is room for it, and records what it says. Throws
/// why it has no answer, which is recorded too.
co::task<participant_answer>
ask_member(workflow_context flow, assembly_walk_ptr walk, assembly_member whom,
           member_order order);

/// The answer of a member, which is that of the assembly: a checked result of
/// it is the run's output, too.
std::string answer_with(const workflow_context& flow, const assembly_walk& walk,
                        const std::string& member);

} // namespace troupe
