#pragma once

#include <troupe/actors/troupe.hpp>

#include <iostream>

namespace example {

/// Prints who took part and what came out; the exit code that goes with it.
inline int print_run(const troupe::run_object& run) {
  for (const auto& step : run.steps)
    std::cout << step.participant << ": " << to_string(step.status) << "\n";
  if (run.has_error)
    std::cout << to_string(run.error.kind) << ": " << run.error.message << "\n";
  std::cout << run.response << "\n";
  return run.status == troupe::run_status::completed ? 0 : 1;
}

} // namespace example
