#include "troupe/actors/model/model_stream.hpp"

#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/co/settle.hpp"
#include "troupe/runtime/co/sleep.hpp"

#include "caf/actor_cast.hpp"

#include <utility>

namespace troupe {

namespace {

using stream_ptr = model_stream_actor::stateful_pointer<model_stream_state>;

/// Plans another attempt, or notes that there is none.
void fail_attempt(stream_ptr self, const caf::error& why) {
  auto& x = self->state;
  x.started = false;
  x.answered = x.answered || !x.events.empty();
  auto progress = x.answered ? answer_progress::some : answer_progress::none;
  auto retry = x.retries.after(to_fault(why), progress);
  if (!retry) {
    x.failure = why;
    return;
  }
  x.start_at = self->clock().now() + retry->delay;
  x.events.push_back(std::move(*retry));
}

co::task<void> read_some(stream_ptr self) {
  auto& x = self->state;
  try {
    if (!x.started) {
      co_await co::sleep_for(self, x.start_at - self->clock().now());
      x.source->start(self);
      x.started = true;
    }
    x.whole = co_await x.source->read(self, &x.events);
  } catch (const co::failure& why) {
    fail_attempt(self, why.reason());
  }
}

co::task<model_batch> next_batch(stream_ptr self, pull_model_events) {
  auto& x = self->state;
  if (std::exchange(x.reading, true))
    throw co::failure{errc::internal, "a stream is pulled by one at a time"};
  while (x.events.empty() && !x.whole && !x.failure)
    co_await read_some(self);
  if (x.events.empty() && x.failure) {
    self->quit();
    throw co::failure{x.failure};
  }
  auto is_retry = !x.whole && x.events.back().kind == model_event_kind::retry;
  x.answered = x.answered || !is_retry;
  auto result = model_batch{std::exchange(x.events, {}), {}};
  if (x.whole)
    self->quit();
  else
    result.rest = caf::actor_cast<model_stream_actor>(self);
  x.reading = false;
  co_return result;
}

co::task<void> close(stream_ptr self) {
  auto& x = self->state;
  x.running.cancel_others();
  co_await x.source->close(self);
  self->quit();
}

co::task<done> end_stream(stream_ptr self, end_work) {
  co_await close(self);
  co_return done{};
}

co::task<void> end_with(stream_ptr self, caf::strong_actor_ptr reader) {
  co_await co::death_of(self, reader);
  co_await close(self);
}

} // namespace

model_stream_actor::behavior_type
model_stream_behavior(stream_ptr self, model_stream_spec spec) {
  auto& x = self->state;
  x.source = std::move(spec.source);
  x.retries = spec.retries;
  x.running.spawn(self, {}, end_with(self, std::move(spec.reader)));
  return {
    co::serve(self, next_batch),
    co::serve(self, end_stream),
    // There is one reader, and whatever it asked for it no longer wants.
    [self](co::cancel_request) {
      self->state.running.spawn(self, {}, close(self));
    },
  };
}

} // namespace troupe
