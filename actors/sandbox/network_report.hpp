#pragma once

#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/sandbox/network/gateway_decision.hpp"

#include <functional>
#include <map>
#include <string>

namespace troupe {

/// Who hears of what gateways do. Each is called on a thread of theirs, must
/// not block or throw, and may be empty.
struct network_listener {
  std::function<void(const gateway_decision&)> on_decision;
  /// When a gateway ends, with what it did for each destination.
  std::function<void(const std::map<std::string, destination_counts>&)> on_end;
};

/// Tells a run of it: a note `network` for each decision, of which a process
/// inside could cause any number, so for the first 1,000, and a note
/// `network_traffic` with the counts of all. Keeps no run alive.
network_listener report_network(const run_observer_actor& to);

} // namespace troupe
