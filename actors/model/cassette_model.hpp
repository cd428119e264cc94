#pragma once

#include "troupe/actors/model/stream_set.hpp"
#include "troupe/config/model_settings.hpp"
#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/runtime/model/cassette_player.hpp"

#include <memory>
#include <optional>

namespace troupe {

/// A model that plays a cassette.
struct cassette_model_spec {
  std::shared_ptr<const cassette> tape;
  /// How its errors are retried, those that a provider's would be.
  retry_settings retry;
};

struct cassette_model_state : streaming_model_state {
  static inline const char* name = "cassette_model";

  std::optional<cassette_player> player;
};

/// Plays in time, by the actor's clock. A turn that takes no time is answered
/// whole at once; only others, and those that are retried, get a stream.
model_connection_actor::behavior_type cassette_model_behavior(
  model_connection_actor::stateful_pointer<cassette_model_state> self,
  cassette_model_spec spec);

} // namespace troupe
