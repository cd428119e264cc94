#pragma once

#include "troupe/sandbox/relay/protocol.hpp"

namespace troupe::relay {

/// How often the container's group of processes has run into its limits so far,
/// as far as its kernel files can be seen in here.
pressure read_pressure();

} // namespace troupe::relay
