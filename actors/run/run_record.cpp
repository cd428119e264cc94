#include "troupe/actors/run/run_record.hpp"

#include "troupe/runtime/run/timestamp.hpp"

#include <utility>

namespace troupe {

namespace {

/// Events are large; most batches have no more than these.
constexpr auto usual_batch = size_t{4};

} // namespace

void run_record::add(run_event event) {
  auto is_delta = event.type == event_type::text_delta
                  || event.type == event_type::reasoning_delta;
  if (!is_delta)
    event.seq = ++last_seq_;
  if (!with_events_)
    return;
  event.at = now_micros();
  if (events_.empty())
    events_.reserve(usual_batch);
  events_.push_back(std::move(event));
}

void run_record::add(event_type type, std::string text) {
  auto event = run_event{};
  event.type = type;
  event.text = std::move(text);
  add(std::move(event));
}

void run_record::publish() {
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
  over.set();
}

} // namespace troupe
