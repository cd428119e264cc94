#pragma once

#include "troupe/runtime/messages/interfaces.hpp"

#include "caf/fwd.hpp"
#include "caf/timespan.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// What becomes of something that was said to a run. It may outlive the
/// `execution`; any thread may wait, one at a time.
class interjection_ticket {
public:
  interjection_ticket(caf::actor_system& system, const run_actor& run,
                      interject what);
  interjection_ticket(interjection_ticket&& other) noexcept;
  interjection_ticket& operator=(interjection_ticket&& other) noexcept;
  ~interjection_ticket();

  /// Waits until it is known. Throws `co::failure` where it was not heard,
  /// which says why.
  interjection_outcome wait();

  /// Whether it is known after at most `limit`.
  bool is_known_within(caf::timespan limit) const;

private:
  class question;
  std::unique_ptr<question> question_;
};

/// Reads the events of a run beside others, from any event on. For a thread
/// that may block, one at a time; dropping it ends it.
class event_reader {
public:
  event_reader(caf::actor_system& system, run_actor run, uint64_t after);
  event_reader(event_reader&& other) noexcept;
  event_reader& operator=(event_reader&& other) noexcept;
  ~event_reader();

  /// The next event, waiting for it; nothing after the run's last. Throws
  /// `co::failure` where the run's actor died or its store lost events.
  std::optional<run_event> next();

private:
  class feed;
  std::unique_ptr<feed> feed_;
};

/// One run under way, for a thread that may block. One thread uses it at a
/// time; `cancel`, `interject` and `follow` may come from any. Dropping it lets
/// the run go on, without events for `next`.
class execution {
public:
  execution(caf::actor_system& system, run_handle handle);
  execution(execution&& other) noexcept;
  execution& operator=(execution&& other) noexcept;
  ~execution();

  const std::string& run_id() const noexcept;
  const std::string& session_id() const noexcept;

  /// The next event, waiting for it; nothing after the terminal one. The run
  /// must have been started `with_events`. A reader that falls behind pauses
  /// the run, nothing is lost.
  std::optional<run_event> next();

  /// A reader of its own, who gets the stored events with `after` < seq and
  /// those that come, whoever else reads. One that falls behind reads the
  /// store: it never pauses the run and loses nothing but deltas, which are
  /// made from when somebody reads.
  event_reader follow(uint64_t after = 0) const;

  /// Says something to the agent while it works: its model is told with its
  /// next request, behind what it does right now and before what waits for the
  /// conversation. A run that ends before that leaves it to the conversation,
  /// for the next run of it to find. In an assembly who works is told. Several
  /// are heard in the order in which they were said.
  interjection_ticket interject(std::string text,
                                std::vector<content_block> blocks = {}) const;

  /// Ends the run as cancelled, also one that waits for somebody; it has ended
  /// when `wait` returns.
  void cancel(std::string reason = {}) const;

  /// Waits for the end. Throws `co::failure` when the run's actor died.
  run_object wait();

  /// Waits for the end for at most `limit`; nothing where the run goes on.
  std::optional<run_object> wait(caf::timespan limit);

  /// Ends the run unless it has ended, and waits until all that it had is
  /// closed. May be called again.
  run_object close();

  /// The run itself.
  const run_actor& actor() const noexcept;

private:
  class reader;
  std::unique_ptr<reader> reader_;
};

} // namespace troupe
