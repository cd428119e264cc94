#pragma once

#include <string>

namespace troupe {

/// Removes everything in `directory` (a descriptor; O_PATH will do), never
/// through a link, in bounded memory whatever the depth. Goes on after a
/// failure; returns 0 or the first errno value that kept something from being
/// removed.
int remove_contents(int directory);

} // namespace troupe
