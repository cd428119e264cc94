#pragma once

#include "troupe/actors/agent_builder.hpp"
#include "troupe/runtime/messages/run_messages.hpp"

#include <string>

namespace troupe::bench {

/// The agent of all benchmarks: called "calc", with the one tool `add`.
agent calc_agent(const std::string& model);

/// Asks it what takes two model turns and one call of the tool.
run_request calc_request();

} // namespace troupe::bench
