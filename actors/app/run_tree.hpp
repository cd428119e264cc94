#pragma once

#include "troupe/runtime/messages/run_messages.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::app {

/// The steps of a run for people, a line each, those that a step contains
/// beneath it: name, status, duration, kind of error, what led to it. `now` is
/// when those end that still run.
std::vector<std::string> run_tree(const run_object& run, int64_t now);

} // namespace troupe::app
