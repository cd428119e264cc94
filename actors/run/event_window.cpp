#include "troupe/actors/run/event_window.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

event_window::event_window(uint64_t last_seq) : seq_before_(last_seq) {
  // nop
}

void event_window::add(run_event event) {
  events_.emplace_back(std::move(event));
  // What nobody was shown yet stays, however much it is.
  while (events_.size() > most && begin_ < shown_) {
    seq_before_ = std::max(seq_before_, events_.front()->seq);
    events_.pop_front();
    ++begin_;
  }
}

void event_window::replace_last(run_event event) {
  if (begin_ + events_.size() > shown_)
    events_.back() = shared<run_event>{std::move(event)};
}

void event_window::publish() {
  auto end = begin_ + events_.size();
  if (shown_ == end)
    return;
  shown_ = end;
  grew.set();
}

uint64_t event_window::position_after(uint64_t seq) const noexcept {
  if (seq < seq_before_)
    return 0;
  auto position = begin_;
  auto last = seq_before_;
  for (const auto& event : events_) {
    if (last == seq || position == shown_)
      break;
    last = std::max(last, event->seq);
    ++position;
  }
  return position;
}

std::vector<shared<run_event>> event_window::from(uint64_t position,
                                                  size_t limit) const {
  auto count = std::min<uint64_t>(shown_ - position, limit);
  auto first = events_.begin() + static_cast<std::ptrdiff_t>(position - begin_);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

} // namespace troupe
