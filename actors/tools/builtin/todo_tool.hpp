#pragma once

#include "troupe/actors/tools/tool.hpp"

namespace troupe {

/// write_todos: the model's own list of what is to be done, kept in the run
/// state.
tool todo_tool();

} // namespace troupe
