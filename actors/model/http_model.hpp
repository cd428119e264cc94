#pragma once

#include "troupe/actors/model/stream_set.hpp"
#include "troupe/config/model_settings.hpp"
#include "troupe/runtime/http/http_transport.hpp"
#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/runtime/model/provider_codec.hpp"

#include <memory>

namespace troupe {

/// One provider that is reached over HTTP.
struct http_model_spec {
  /// `retry` and `max_in_flight` count; the codec knows the rest.
  provider_settings settings;
  std::shared_ptr<const provider_codec> codec;
  /// Shared with other providers.
  std::shared_ptr<http_transport> transport;
};

struct http_model_state : streaming_model_state {
  static inline const char* name = "http_model";

  http_model_spec spec;
};

/// Serves requests, each by a stream actor that owns its transfers. The first
/// answer carries the first events, often all of them.
model_connection_actor::behavior_type
http_model_behavior(model_connection_actor::stateful_pointer<http_model_state>,
                    http_model_spec spec);

} // namespace troupe
