#pragma once

#include "troupe/actors/model/answer_source.hpp"
#include "troupe/actors/model/retry_plan.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include "caf/actor_clock.hpp"
#include "caf/actor_control_block.hpp"
#include "caf/error.hpp"

#include <vector>

namespace troupe {

/// What a stream is started with.
struct model_stream_spec {
  answer_source_ptr source;
  retry_plan retries;
  /// Who reads: the stream ends with it.
  caf::strong_actor_ptr reader;
};

struct model_stream_state {
  static inline const char* name = "model_stream";

  answer_source_ptr source;
  retry_plan retries = retry_plan::once();
  /// Read and not given out.
  std::vector<model_event> events;
  /// Somebody waits for a batch.
  bool reading = false;
  /// The source was asked.
  bool started = false;
  /// When it may be asked.
  caf::actor_clock::time_point start_at;
  /// Some event of the model has come.
  bool answered = false;
  /// `stop` has come.
  bool whole = false;
  /// What ended the last attempt; given out after `events`.
  caf::error failure;
  co::scope running;
};

/// One answer of one model: reads its source as fast as it is pulled and no
/// faster, and asks again when the retry rules say so. Any cancellation by
/// its reader ends it, as the reader's death does.
model_stream_actor::behavior_type model_stream_behavior(
  model_stream_actor::stateful_pointer<model_stream_state> self,
  model_stream_spec spec);

} // namespace troupe
