#include "troupe/actors/run/run_record.hpp"

#include "troupe/runtime/run/timestamp.hpp"

#include <utility>

namespace troupe {

namespace {

/// Events are large; most batches have no more than these.
constexpr auto usual_batch = size_t{4};

} // namespace

void run_record::number(run_event& event) {
  event.at = now_micros();
  if (!is_delta(event.type))
    event.seq = ++last_seq_;
}

std::shared_ptr<const std::atomic<bool>> run_record::reader_mark() {
  if (!reader_mark_)
    reader_mark_ = std::make_shared<std::atomic<bool>>(has_reader());
  return reader_mark_;
}

void run_record::keep_events(bool of_agents) noexcept {
  with_events_ = true;
  of_agents_ = of_agents;
  if (reader_mark_)
    *reader_mark_ = true;
}

void run_record::drop_events() {
  with_events_ = false;
  events_.clear();
  published_ = 0;
  if (!over_)
    readable.reset();
  has_room.set();
}

event_window& run_record::window() {
  if (!window_)
    window_ = std::make_unique<event_window>(last_seq_);
  if (reader_mark_)
    *reader_mark_ = true;
  return *window_;
}

void run_record::add(run_event event) {
  if (window_)
    window_->add(event);
  if (!with_events_ || (event.source && !of_agents_))
    return;
  if (events_.empty())
    events_.reserve(usual_batch);
  events_.push_back(std::move(event));
}

void run_record::replace_last(run_event event) {
  event.seq = last_seq_;
  if (window_)
    window_->replace_last(event);
  if (!events_.empty())
    events_.back() = std::move(event);
}

void run_record::publish() {
  if (window_)
    window_->publish();
  published_ = events_.size();
  if (is_full())
    has_room.reset();
  if (published_ > 0)
    readable.set();
}

run_event_batch run_record::take() {
  auto result = run_event_batch{};
  result.events = std::exchange(events_, {});
  result.done = over_;
  published_ = 0;
  if (!over_)
    readable.reset();
  has_room.set();
  return result;
}

void run_record::end() {
  over_ = true;
  readable.set();
  if (window_)
    window_->grew.set();
  over.set();
}

} // namespace troupe
