#pragma once

#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/messages/run_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace troupe {

/// The last events of a run for those who follow it, each at a position of his
/// own. Whoever falls out of it reads the store. Belongs to the run's actor.
class event_window {
public:
  /// Events that are kept.
  static constexpr size_t most = 4096;

  /// `last_seq` is the number of the last event before the first one here.
  explicit event_window(uint64_t last_seq);

  void add(run_event event);

  /// Puts `event` in place of the last one, which nobody was shown.
  void replace_last(run_event event);

  /// Lets readers have what was added.
  void publish();

  /// Where a reader goes on that has the stored event `seq`; 0: not from here.
  uint64_t position_after(uint64_t seq) const noexcept;

  bool holds(uint64_t position) const noexcept {
    return position >= begin_ && position <= shown_;
  }

  bool has_more(uint64_t position) const noexcept {
    return position < shown_;
  }

  /// What is there from `position` on, at most `limit` events.
  std::vector<shared<run_event>> from(uint64_t position, size_t limit) const;

  /// Set while there is something new.
  co::event grew;

private:
  std::deque<shared<run_event>> events_;
  /// The position of the first, the one after the last that was published.
  uint64_t begin_ = 1;
  uint64_t shown_ = 1;
  /// The number of the last stored event before the first one here.
  uint64_t seq_before_ = 0;
};

} // namespace troupe
