#pragma once

#include "troupe/actors/tools/tool.hpp"

namespace troupe {

/// shell: runs one command in the sandbox.
tool shell_tool();

} // namespace troupe
