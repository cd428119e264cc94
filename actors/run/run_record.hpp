#pragma once

#include "troupe/actors/run/event_window.hpp"
#include "troupe/runtime/co/event.hpp"
#include "troupe/runtime/messages/run_messages.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// What is known of one run while it lives: its object, and the events that
/// nobody has read yet. Belongs to the run's actor.
class run_record {
public:
  /// Events that may wait for their reader before the run waits for it.
  static constexpr size_t most_unread = 1024;

  run_record() = default;

  run_object object;

  /// Whether deltas are worth making: somebody reads events.
  bool has_reader() const noexcept {
    return with_events_ || window_;
  }

  /// The same for the parts of the run, which are actors of their own.
  std::shared_ptr<const std::atomic<bool>> reader_mark();

  /// Keeps events for `take`: of participants, too, or the run's own alone.
  void keep_events(bool of_agents) noexcept;

  /// The reader of `take` has gone: nothing is kept for him, nor waits for him.
  void drop_events();

  /// For those who follow the run: what happens from the first call on.
  event_window& window();

  /// The number that the last event has; for a run that goes on.
  void go_on_after(uint64_t seq) noexcept {
    last_seq_ = seq;
  }

  uint64_t last_seq() const noexcept {
    return last_seq_;
  }

  /// Gives an event its time and, unless it is a delta, its number.
  void number(run_event& event);

  /// Keeps a numbered event for its reader, who hears of it at the next
  /// `publish`, so that what happens at once is read at once.
  void add(run_event event);

  /// Puts `event`, under the number of the last, in place of it; readers must
  /// not have heard of that one.
  void replace_last(run_event event);

  /// Lets readers have what was added.
  void publish();

  /// Takes all unread events.
  run_event_batch take();

  /// Whether there is something to take.
  bool is_readable() const noexcept {
    return published_ > 0 || over_;
  }

  bool is_full() const noexcept {
    return events_.size() >= most_unread;
  }

  /// After the terminal event: `object` is final.
  void end();

  bool is_over() const noexcept {
    return over_;
  }

  /// Set while there is something to read.
  co::event readable;
  /// Set while there is room for more.
  co::event has_room;
  /// Set when the run is over.
  co::event over;

private:
  std::vector<run_event> events_;
  size_t published_ = 0;
  uint64_t last_seq_ = 0;
  bool with_events_ = false;
  bool of_agents_ = true;
  std::unique_ptr<event_window> window_;
  /// Null until a part of the run wants to know.
  std::shared_ptr<std::atomic<bool>> reader_mark_;
  bool over_ = false;
};

} // namespace troupe
