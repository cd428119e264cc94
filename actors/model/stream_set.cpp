#include "troupe/actors/model/stream_set.hpp"

#include "troupe/runtime/co/settle.hpp"

#include "caf/send.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace troupe {

stream_set::waiting_request::waiting_request(co::frame_key its_key,
                                             caf::response_promise its_promise,
                                             answer_source_ptr its_source,
                                             retry_plan its_retries)
  : key(its_key),
    promise(std::move(its_promise)),
    source(std::move(its_source)),
    retries(its_retries) {
  // nop
}

stream_set::waiting_request::~waiting_request() {
  if (promise.pending())
    promise.deliver(make_error(errc::cancelled,
                               "the request was dropped before it was sent"));
}

stream_set::~stream_set() {
  for (const auto& [id, one] : streams_)
    caf::anon_send_exit(one.stream, caf::exit_reason::user_shutdown);
}

caf::delegated<model_batch>
stream_set::start(model_connection_actor::pointer self,
                  answer_source_ptr source, retry_plan retries) {
  auto id = self->current_message_id().integer_value();
  auto key = co::request_key(self->current_sender(), id);
  auto request = waiting_request{key, self->make_response_promise(),
                                 std::move(source), retries};
  if (closing_)
    return {}; // which answers
  if (streams_.size() < limit_)
    let_in(self, std::move(request));
  else
    waiting_.push_back(std::move(request));
  return {};
}

void stream_set::cancel(model_connection_actor::pointer self,
                        co::cancel_request x) {
  auto key = co::request_key(self->current_sender(), x.id);
  for (const auto& [id, one] : streams_)
    if (one.key == key)
      return self->send(one.stream, co::cancel_request{});
  auto i = std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const auto& y) { return y.key == key; });
  if (i == waiting_.end())
    return;
  auto dropped = std::move(*i); // answers
  waiting_.erase(i);
}

void stream_set::ended(model_connection_actor::pointer self,
                       const caf::down_msg& x) {
  streams_.erase(x.source.id());
  while (!waiting_.empty() && streams_.size() < limit_) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    let_in(self, std::move(next));
  }
}

co::task<void> stream_set::close(model_connection_actor::pointer self) {
  return close_all(this, self);
}

co::task<void> stream_set::close_all(stream_set* x,
                                     model_connection_actor::pointer self) {
  x->closing_ = true;
  x->waiting_.clear();
  auto streams = std::vector<model_stream_actor>{};
  for (const auto& [id, one] : x->streams_)
    streams.push_back(one.stream);
  for (const auto& stream : streams)
    self->send(stream, co::cancel_request{});
  for (const auto& stream : streams)
    co_await co::death_of(self, stream);
}

void stream_set::let_in(model_connection_actor::pointer self,
                        waiting_request x) {
  auto spec = model_stream_spec{std::move(x.source), x.retries,
                                x.promise.source()};
  auto stream = self->spawn<caf::lazy_init>(model_stream_behavior,
                                            std::move(spec));
  self->monitor(stream);
  streams_.emplace(stream->id(), place{stream, x.key});
  x.promise.delegate(stream, pull_model_events{});
}

} // namespace troupe
