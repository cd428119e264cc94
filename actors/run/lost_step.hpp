#pragma once

#include "troupe/actors/run/run_catalog.hpp"
#include "troupe/runtime/messages/run_object.hpp"

#include <string>

namespace troupe {

/// The name of a step that the stored run `run` would go on with, and for which
/// `definition` has nobody any more; empty where there is none. What is decided
/// in code, and what a helper is that is only named, is not looked into.
std::string find_lost_step(const run_object& run,
                           const run_definition& definition);

} // namespace troupe
