#pragma once

#include "troupe/runtime/messages/run_messages.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace troupe {

/// The run object of the contract.
nlohmann::ordered_json run_json(const run_object& run);

/// One event of the contract; `participant` is the agent it came from.
nlohmann::ordered_json event_json(const run_event& event,
                                  const std::string& run_id,
                                  const std::string& participant);

/// What a suspended run waits for: the text of the contract's object.
std::string suspension_json(const run_suspension& x);

} // namespace troupe
