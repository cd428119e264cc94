#pragma once

#include "caf/meta/type_name.hpp"

#include <cstdint>

namespace troupe {

/// What a model can do, so far as an agent must know before it asks.
struct model_capabilities {
  /// Whether it answers in the form of a JSON Schema by itself.
  bool native_structured_output = true;
  /// Whether one turn may hold several tool calls.
  bool parallel_tools = true;
  bool images = true;
  /// Whether it takes documents that are no text, e.g. PDF.
  bool documents = true;
  /// Tokens of input and output together.
  uint64_t context_window = 200'000;
};

template <class Inspector>
auto inspect(Inspector& f, model_capabilities& x) {
  return f(caf::meta::type_name("troupe::model_capabilities"),
           x.native_structured_output, x.parallel_tools, x.images,
           x.context_window, x.documents);
}

} // namespace troupe
