#pragma once

#include "troupe/runtime/messages/interfaces.hpp"

namespace troupe::bench {

/// Asks for the tool `add` first, and answers when it sees a result; both at
/// once.
model_actor::behavior_type instant_model(model_actor::pointer self);

} // namespace troupe::bench
