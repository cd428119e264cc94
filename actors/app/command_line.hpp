#pragma once

#include "troupe/actors/app/options.hpp"

#include <variant>

namespace troupe::app {

/// Reads the command line: what was typed, or the code to exit with at once
/// after help, the version or a usage error was printed.
std::variant<options, int> parse_command_line(int argc, char** argv);

} // namespace troupe::app
