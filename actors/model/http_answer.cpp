#include "troupe/actors/model/http_answer.hpp"

#include "troupe/actors/model/retry_plan.hpp"
#include "troupe/runtime/co/failure.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

// More of an error's body says nothing more.
constexpr size_t longest_error = size_t{64} << 10;

bool is_success(const http_head& head) {
  return head.status >= 200 && head.status < 300;
}

// The end of the body, or what breaks it, may come after the answer's.
bool is_whole(const std::vector<model_event>& events) {
  return !events.empty() && events.back().kind == model_event_kind::stop;
}

} // namespace

http_answer::http_answer(http_answer_server server, model_request request)
  : server_(std::move(server)),
    request_(std::move(request)) {
  // nop
}

void http_answer::start(model_stream_actor::pointer self) {
  auto left = time_left(request_.deadline);
  if (left.count() == 0)
    throw co::failure{errc::timeout, "the deadline is over"};
  auto request = server_.codec->encode(request_, answer_mode::streamed);
  if (!request)
    throw co::failure{std::move(request.error())};
  request->timeouts.total = std::min(request->timeouts.total, left);
  head_ = {};
  error_body_.clear();
  decoder_ = nullptr;
  exchange_ = std::make_unique<http_exchange>(self, *server_.transport,
                                              std::move(*request));
}

co::task<bool> http_answer::read(model_stream_actor::pointer,
                                 std::vector<model_event>* out) {
  return read_next(this, out);
}

co::task<void> http_answer::close(model_stream_actor::pointer) {
  return close_exchange(this);
}

co::task<bool> http_answer::read_next(http_answer* x,
                                      std::vector<model_event>* out) {
  auto news = co_await x->exchange_->next();
  auto is_over = news.done;
  auto why = x->take(std::move(news), *out);
  auto whole = is_whole(*out);
  if (whole && !is_over)
    x->exchange_->leave();
  if (whole || is_over || why)
    x->exchange_ = nullptr; // aborts what goes on
  if (why && !whole)
    throw co::failure{std::move(why)};
  co_return whole;
}

co::task<void> http_answer::close_exchange(http_answer* x) {
  if (!x->exchange_)
    co_return;
  x->exchange_->abort();
  for (auto is_over = false; !is_over;) {
    auto news = co_await x->exchange_->next();
    is_over = news.done;
  }
  x->exchange_ = nullptr;
}

caf::error http_answer::take(http_news news, std::vector<model_event>& out) {
  if (news.head.status != 0)
    head_ = std::move(news.head);
  exchange_->consumed(news.bytes.size());
  auto why = is_success(head_) ? decode(news.bytes, out) : caf::error{};
  if (!is_success(head_))
    error_body_.append(news.bytes, 0, longest_error - error_body_.size());
  return why || !news.done || is_whole(out) ? why
                                            : finish(std::move(news.why), out);
}

caf::error http_answer::decode(std::string_view bytes,
                               std::vector<model_event>& out) {
  if (!decoder_)
    decoder_ = server_.codec->make_decoder();
  return bytes.empty() ? caf::error{} : decoder_->feed(bytes, out);
}

caf::error http_answer::finish(caf::error why, std::vector<model_event>& out) {
  // What the server says about an error counts even when it was cut short.
  if (head_.status != 0 && !is_success(head_))
    return make_error(server_.codec->error_of(head_, error_body_));
  return why ? std::move(why) : decoder_->finish(out);
}

} // namespace troupe
