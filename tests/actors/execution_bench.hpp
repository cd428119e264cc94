#pragma once

#include "actors/agent_bench.hpp"

namespace troupe::test {

/// A request to the agent of a `bench`, in the session "s".
inline run_request request_of(const std::string& prompt,
                              bool with_events = false) {
  auto result = run_request{};
  result.agent = "calc";
  result.input = prompt;
  result.session_id = "s";
  result.with_events = with_events;
  return result;
}

/// Waits for the first event of a type.
inline void read_until(execution& run, event_type type) {
  while (auto event = run.next())
    if (event->type == type)
      return;
  FAIL("there is no such event");
}

} // namespace troupe::test
