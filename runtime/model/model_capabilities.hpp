#pragma once

#include <cstdint>

namespace troupe {

/// What a model can do, so far as an agent must know before it asks.
struct model_capabilities {
  /// Whether it answers in the form of a JSON Schema by itself.
  bool native_structured_output = true;
  /// Whether one turn may hold several tool calls.
  bool parallel_tools = true;
  bool images = true;
  /// Tokens of input and output together.
  uint64_t context_window = 200'000;
};

} // namespace troupe
