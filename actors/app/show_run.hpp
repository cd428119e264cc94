#pragma once

#include "troupe/actors/app/interrupts.hpp"
#include "troupe/actors/app/options.hpp"
#include "troupe/actors/execution.hpp"

#include <string>

namespace troupe::app {

/// Whether `x` asks for something that needs the run's events.
bool wants_events(const options& x);

/// Shows a run as `x` asks for, to its end; Ctrl-C cancels it. Gives the exit
/// code.
int show_run(execution& run, const std::string& agent, const options& x,
             interrupts& signals);

} // namespace troupe::app
