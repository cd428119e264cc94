#include "troupe/actors/run/run_journal.hpp"

#include <utility>

namespace troupe {

namespace {

/// A step's event, whose number and place in the log its run decides on.
void add_step_event(run_base& run, run_event event) {
  event.participant = run.record.object.name;
  if (event.record != 0)
    event.session_id = run.key->session.session_id;
  run.pending.events.push_back(std::move(event));
}

} // namespace

void add_event(run_base& run, run_event event) {
  if (run.spec.is_step) {
    add_step_event(run, std::move(event));
    return;
  }
  run.record.number(event);
  if (run.spec.services->feed->has_subscribers())
    run.unheard.push_back(event);
  if (!is_delta(event.type))
    run.pending.events.push_back(event);
  run.record.add(std::move(event));
}

void publish(run_base& run) {
  run.record.publish();
  for (const auto& event : std::exchange(run.unheard, {}))
    run.spec.services->feed->publish({run.key->run_id, &event});
}

std::optional<commit_run> take_pending(run_base& run) {
  auto& pending = run.pending;
  auto is_empty = pending.begin.empty() && pending.log.empty()
                  && pending.events.empty() && pending.values.empty()
                  && pending.artifacts.empty() && pending.change.empty();
  if (is_empty)
    return std::nullopt;
  pending.run = run.key;
  return std::exchange(pending, {});
}

} // namespace troupe
