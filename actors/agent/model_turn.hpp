#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/runtime/co/task.hpp"

namespace troupe {

/// Where an answer goes while it arrives. What is pointed to outlives the
/// reading.
struct answer_sink {
  chat_message* message = nullptr;
  /// The tokens of the request and the answer are added.
  uint64_t* tokens = nullptr;
  /// Whether who reads the run's events sees its pieces.
  bool is_public = true;
};

/// Asks `model` once and reads its whole answer. Throws `co::failure`.
co::task<stop_reason> read_answer(agent_ptr self, model_actor model,
                                  model_request request, answer_sink out);

/// Asks the model once and adds its whole answer to the conversation. While
/// it arrives, what has come stands in `answer`. Throws `co::failure`.
co::task<stop_reason> ask_model(agent_ptr self);

} // namespace troupe
