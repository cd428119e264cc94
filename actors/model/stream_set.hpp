#pragma once

#include "troupe/actors/model/model_stream.hpp"
#include "troupe/runtime/co/root_frame.hpp"
#include "troupe/runtime/co/scope.hpp"
#include "troupe/runtime/co/serve.hpp"
#include "troupe/runtime/messages/interfaces.hpp"

#include "caf/delegated.hpp"
#include "caf/response_promise.hpp"
#include "caf/system_messages.hpp"

#include <cstddef>
#include <deque>
#include <limits>
#include <unordered_map>

namespace troupe {

/// The streams that one model actor has started for its callers. At most
/// `limit` live at once, from the first attempt to the last batch that was
/// pulled; more callers wait in order. Belongs to its actor. Destroying it
/// ends every stream and answers who waits.
class stream_set {
public:
  stream_set() = default;
  stream_set(const stream_set&) = delete;
  stream_set& operator=(const stream_set&) = delete;

  ~stream_set();

  /// At least 1; without it there is no limit.
  void limit(size_t x) noexcept {
    limit_ = x;
  }

  /// Answers the request that `self` is handling with the first batch of a
  /// new stream.
  caf::delegated<model_batch> start(model_connection_actor::pointer self,
                                    answer_source_ptr source,
                                    retry_plan retries);

  /// The caller no longer wants the answer to one of its requests.
  void cancel(model_connection_actor::pointer self, co::cancel_request x);

  /// A stream has ended: lets the next caller in.
  void ended(model_connection_actor::pointer self, const caf::down_msg& x);

  /// Refuses new requests, ends all streams and awaits their end. Outlives
  /// the task.
  co::task<void> close(model_connection_actor::pointer self);

  /// Streams under way.
  size_t size() const noexcept {
    return streams_.size();
  }

private:
  struct place {
    model_stream_actor stream;
    co::frame_key key;
  };

  /// A request that waits for its turn; answers when it is dropped.
  class waiting_request {
  public:
    waiting_request(co::frame_key key, caf::response_promise promise,
                    answer_source_ptr source, retry_plan retries);
    waiting_request(waiting_request&&) = default;
    waiting_request& operator=(waiting_request&&) = default;

    ~waiting_request();

    co::frame_key key;
    caf::response_promise promise;
    answer_source_ptr source;
    retry_plan retries;
  };

  static co::task<void> close_all(stream_set* x,
                                  model_connection_actor::pointer self);

  void let_in(model_connection_actor::pointer self, waiting_request x);

  size_t limit_ = std::numeric_limits<size_t>::max();
  bool closing_ = false;
  std::unordered_map<caf::actor_id, place> streams_;
  std::deque<waiting_request> waiting_;
};

/// The state of a model actor that answers with streams.
struct streaming_model_state {
  stream_set streams;
  co::scope running;
};

/// Ends the streams of a model actor and the actor itself.
template <class State>
co::task<done>
end_streams(model_connection_actor::stateful_pointer<State> self, end_work) {
  co_await self->state.streams.close(self);
  self->quit();
  co_return done{};
}

/// The behavior of a model actor whose state is a `streaming_model_state` and
/// which answers a request by `answer`.
template <class State, class Answer>
model_connection_actor::behavior_type
serve_streams(model_connection_actor::stateful_pointer<State> self,
              Answer answer) {
  self->set_down_handler(
    [self](caf::down_msg& x) { self->state.streams.ended(self, x); });
  return {
    std::move(answer),
    [self](co::cancel_request x) { self->state.streams.cancel(self, x); },
    co::serve(self, end_streams<State>),
  };
}

} // namespace troupe
