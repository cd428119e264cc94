#pragma once

#include "troupe/actors/model/stream_set.hpp"
#include "troupe/runtime/co/blocking_pool.hpp"
#include "troupe/runtime/messages/interfaces.hpp"
#include "troupe/runtime/model/cassette_writer.hpp"

#include <memory>
#include <mutex>

namespace troupe {

/// A cassette that several models are recorded to.
struct recording {
  std::mutex mutex;
  cassette_writer writer;

  recording(std::string path, std::vector<secret> secrets)
    : writer(std::move(path), std::move(secrets)) {
    // nop
  }
};

/// A model whose answers are written down.
struct recording_model_spec {
  model_actor model;
  std::shared_ptr<recording> tape;
  /// Where the file is written; outlives the actor.
  co::blocking_pool* pool = nullptr;
};

struct recording_model_state : streaming_model_state {
  static inline const char* name = "recording_model";
};

/// Passes requests on to another model and its events back. The end of an
/// answer is passed on only when the file has it, and a file that cannot be
/// written is the answer's error.
model_connection_actor::behavior_type recording_model_behavior(
  model_connection_actor::stateful_pointer<recording_model_state> self,
  recording_model_spec spec);

} // namespace troupe
