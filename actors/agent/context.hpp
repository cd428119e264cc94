#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

/// The role of the configuration that summarises conversations.
inline constexpr auto summarizer_role = "summarizer";

/// Asks the model once, as `ask_model` does, with a conversation that fits its
/// window: where it nearly fills it, its oldest part is summarised before, or
/// dropped where there is no summarizer. A provider that finds it too long all
/// the same is asked a second time with a shorter one. Throws `co::failure`.
co::task<stop_reason> ask_in_window(agent_ptr self);

} // namespace troupe
