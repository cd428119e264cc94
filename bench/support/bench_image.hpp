#pragma once

#include "troupe/config/sandbox_settings.hpp"

#include <string>
#include <vector>

namespace troupe::bench {

/// Runs a program and waits for it. Throws when it cannot, or it fails.
void spawn_and_wait(std::vector<std::string> words);

/// A policy for containers of an engine that works here, with an image that is
/// made of this host's busybox. Throws, and says what is missing.
sandbox_settings container_policy();

} // namespace troupe::bench
