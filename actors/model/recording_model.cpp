#include "troupe/actors/model/recording_model.hpp"

#include "troupe/runtime/co/offload.hpp"
#include "troupe/runtime/co/request.hpp"

#include <utility>

namespace troupe {

namespace {

using recording_model_ptr
  = model_connection_actor::stateful_pointer<recording_model_state>;
using stream_ptr = model_stream_actor::pointer;

/// An answer of another model, written down before its end is told.
class recorded_answer : public answer_source {
public:
  recorded_answer(recording_model_spec spec, model_request request)
    : spec_(std::move(spec)),
      request_(std::make_shared<const model_request>(std::move(request))) {
    // nop
  }

  void start(stream_ptr) override {
    // The first read asks.
  }

  co::task<bool> read(stream_ptr self, std::vector<model_event>* out) override {
    return read_next(this, self, out);
  }

  co::task<void> close(stream_ptr self) override {
    return close_rest(this, self);
  }

private:
  static co::task<caf::expected<model_batch>> ask(recorded_answer* x,
                                                  stream_ptr self) {
    if (!x->rest_) {
      auto first = co::request<model_batch>(self, x->spec_.model, caf::infinite,
                                            *x->request_);
      co_return co_await co::as_expected(std::move(first));
    }
    auto next = co::request<model_batch>(self, x->rest_, caf::infinite,
                                         pull_model_events{});
    co_return co_await co::as_expected(std::move(next));
  }

  static co::task<bool> read_next(recorded_answer* x, stream_ptr self,
                                  std::vector<model_event>* out) {
    auto batch = co_await ask(x, self);
    auto failure = caf::error{};
    if (batch)
      x->events_.insert(x->events_.end(), batch->events.begin(),
                        batch->events.end());
    else
      failure = std::move(batch.error());
    x->rest_ = batch ? batch->rest : model_stream_actor{};
    if (!x->rest_)
      co_await write(x, self, failure);
    if (failure)
      throw co::failure{std::move(failure)};
    for (auto& event : batch->events)
      out->push_back(std::move(event));
    auto whole = !x->rest_;
    co_return whole;
  }

  static co::task<void> write(recorded_answer* x, stream_ptr self,
                              caf::error failure) {
    auto job = std::function<caf::error()>{
      [tape = x->spec_.tape, request = x->request_,
       events = std::move(x->events_), failure = std::move(failure)] {
        auto guard = std::lock_guard{tape->mutex};
        return failure ? tape->writer.add(*request, events, failure)
                       : tape->writer.add(*request, events);
      }};
    auto why = co_await co::offload<caf::error>(self, *x->spec_.pool,
                                                std::move(job));
    if (why)
      throw co::failure{std::move(why)};
  }

  static co::task<void> close_rest(recorded_answer* x, stream_ptr self) {
    if (!x->rest_)
      co_return;
    auto request = co::request<done>(self, x->rest_, caf::infinite, end_work{});
    // One that is gone has ended too.
    co_await co::as_expected(std::move(request));
  }

  recording_model_spec spec_;
  std::shared_ptr<const model_request> request_;
  model_stream_actor rest_;
  std::vector<model_event> events_;
};

} // namespace

model_connection_actor::behavior_type
recording_model_behavior(recording_model_ptr self, recording_model_spec spec) {
  return serve_streams(self, [self, spec](model_request& request) {
    return self->state.streams.start(
      self, std::make_unique<recorded_answer>(spec, std::move(request)),
      retry_plan::once());
  });
}

} // namespace troupe
