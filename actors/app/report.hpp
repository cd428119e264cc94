#pragma once

#include "troupe/config/errc.hpp"

#include "caf/error.hpp"

namespace troupe::app {

/// Prints `why` to stderr, a line for each fault that it holds and one for
/// each hint, and gives the exit code that belongs to it.
int report(const caf::error& why);

/// The same for one fault, without the code.
void report(const fault& what);

} // namespace troupe::app
