#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/model/cbor_fields.hpp"

namespace troupe {

// Parts that several stored structs have. On disk: a key is never used again
// for something else.

template <class F>
void stored_fields(F& f, tool_call& x) {
  f("i", x.id);
  f("n", x.name);
  f("a", x.arguments);
  f("r", x.raw);
}

template <class F>
void stored_fields(F& f, token_usage& x) {
  f("i", x.input_tokens);
  f("o", x.output_tokens);
  f("c", x.cached_tokens);
}

template <class F>
void stored_fields(F& f, fault& x) {
  f("k", x.kind);
  f("m", x.message);
  f("w", x.where);
  f("h", x.hint);
  f("s", x.status);
  f("r", x.retryable);
  f("a", x.retry_after);
}

} // namespace troupe
