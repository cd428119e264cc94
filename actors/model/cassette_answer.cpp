#include "troupe/actors/model/cassette_answer.hpp"

#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/co/sleep.hpp"

#include <utility>

namespace troupe {

cassette_answer::cassette_answer(std::vector<cassette_turn> turns)
  : turns_(std::move(turns)) {
  // nop
}

void cassette_answer::start(model_stream_actor::pointer self) {
  if (attempts_ == turns_.size())
    throw co::failure{errc::cassette, "the cassette was asked once too often"};
  position_ = 0;
  due_ = self->clock().now() + turns_[attempts_++].delay;
}

co::task<bool> cassette_answer::read(model_stream_actor::pointer self,
                                     std::vector<model_event>* out) {
  return read_next(this, self, out);
}

co::task<void> cassette_answer::close(model_stream_actor::pointer) {
  return stop();
}

co::task<bool> cassette_answer::read_next(cassette_answer* x,
                                          model_stream_actor::pointer self,
                                          std::vector<model_event>* out) {
  co_await co::sleep_for(self, x->due_ - self->clock().now());
  x->give(self->clock().now(), *out);
  auto& turn = x->turns_[x->attempts_ - 1];
  auto is_over = x->position_ == turn.events.size();
  if (is_over && turn.failure)
    throw co::failure{turn.failure};
  co_return is_over;
}

co::task<void> cassette_answer::stop() {
  co_return;
}

void cassette_answer::give(caf::actor_clock::time_point now,
                           std::vector<model_event>& out) {
  auto& turn = turns_[attempts_ - 1];
  while (position_ < turn.events.size() && due_ <= now) {
    out.push_back(std::move(turn.events[position_++]));
    // Only a text has to wait, and only for another one.
    if (position_ < turn.events.size() && is_piece(turn.events[position_].kind))
      due_ += turn.chunk_delay;
  }
}

} // namespace troupe
