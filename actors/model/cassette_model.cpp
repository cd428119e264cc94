#include "troupe/actors/model/cassette_model.hpp"

#include "troupe/actors/model/cassette_answer.hpp"

#include "caf/result.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

using cassette_model_ptr
  = model_connection_actor::stateful_pointer<cassette_model_state>;

bool takes_time(const cassette_turn& turn) {
  auto is_text = [](const model_event& x) { return is_piece(x.kind); };
  return turn.delay.count() > 0
         || (turn.chunk_delay.count() > 0
             && std::count_if(turn.events.begin(), turn.events.end(), is_text)
                  > 1);
}

/// Whether the next attempt, after so many, would be made: the stream decides
/// the same with its own chance.
bool is_retried(const retry_settings& retry, const cassette_turn& turn,
                size_t attempts) {
  if (!turn.failure || !turn.events.empty())
    return false;
  auto failed = failed_attempt{to_fault(turn.failure)};
  failed.attempt = static_cast<uint32_t>(attempts);
  return retry_delay(retry, failed, 0).has_value();
}

caf::result<model_batch> play(cassette_model_ptr self,
                              const retry_settings& retry,
                              const model_request& request) {
  auto& player = *self->state.player;
  auto turn = player.play(request);
  auto again = is_retried(retry, turn, 1);
  if (!again && !takes_time(turn)) {
    if (!turn.failure)
      return model_batch{std::move(turn.events), {}};
    if (turn.events.empty())
      return std::move(turn.failure);
  }
  auto turns = std::vector<cassette_turn>{};
  turns.push_back(std::move(turn));
  while (is_retried(retry, turns.back(), turns.size()))
    turns.push_back(player.play(request));
  return self->state.streams.start(
    self, std::make_unique<cassette_answer>(std::move(turns)),
    retry_plan{retry, request.deadline});
}

} // namespace

model_connection_actor::behavior_type
cassette_model_behavior(cassette_model_ptr self, cassette_model_spec spec) {
  self->state.player.emplace(std::move(spec.tape));
  return serve_streams(self,
                       [self, retry = spec.retry](
                         const model_request& x) -> caf::result<model_batch> {
                         return play(self, retry, x);
                       });
}

} // namespace troupe
