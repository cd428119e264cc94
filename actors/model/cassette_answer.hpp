#pragma once

#include "troupe/actors/model/answer_source.hpp"
#include "troupe/runtime/model/cassette_player.hpp"

#include "caf/actor_clock.hpp"

#include <cstddef>
#include <vector>

namespace troupe {

/// Plays the turns of a cassette in time, by its actor's clock: one for each
/// attempt.
class cassette_answer : public answer_source {
public:
  /// `turns` is not empty; each but the last ends with a failure.
  explicit cassette_answer(std::vector<cassette_turn> turns);

  void start(model_stream_actor::pointer self) override;

  co::task<bool> read(model_stream_actor::pointer self,
                      std::vector<model_event>* out) override;

  co::task<void> close(model_stream_actor::pointer self) override;

private:
  static co::task<bool> read_next(cassette_answer* x,
                                  model_stream_actor::pointer self,
                                  std::vector<model_event>* out);

  static co::task<void> stop();

  // Appends all that is due by `now`.
  void give(caf::actor_clock::time_point now, std::vector<model_event>& out);

  std::vector<cassette_turn> turns_;
  size_t attempts_ = 0;
  // Of the present turn: the next event, and when it is due.
  size_t position_ = 0;
  caf::actor_clock::time_point due_;
};

} // namespace troupe
