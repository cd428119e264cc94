#pragma once

#include "troupe/actors/assembly/assembly_walk.hpp"
#include "troupe/runtime/assembly/output_condition.hpp"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

struct listed_step;

/// Several steps at once.
struct listed_group {
  std::vector<listed_step> steps;
  uint32_t most_at_once = 4;
};

/// One list of steps or the other.
struct listed_branch {
  output_condition when;
  std::vector<listed_step> then_steps;
  std::vector<listed_step> else_steps;
};

/// A step of a workflow in a file, with its participants. Immutable.
struct listed_step {
  std::variant<assembly_member, listed_group, listed_branch> what;
};

using step_list_ptr = std::shared_ptr<const std::vector<listed_step>>;

/// Runs steps one after the other; gives the answer of the last participant.
co::task<std::string> run_step_list(workflow_context flow, step_list_ptr steps,
                                    std::string task);

} // namespace troupe
