#include "troupe/actors/run/run_journal.hpp"

#include <utility>

namespace troupe {

namespace {

/// A step's event, whose number and place in the log its run decides on.
void add_step_event(run_base& run, run_event event) {
  auto is_step_event = event.type == event_type::step_start
                       || event.type == event_type::step_stop;
  if (!is_step_event) { // these are about somebody else
    event.participant = run.spec.place.participant;
    event.source = run.source;
    event.is_answer = true;
  }
  if (event.record != 0 && !has_run_session(run.spec))
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

bool has_reader(const run_base& run) noexcept {
  const auto& of_whole = run.spec.reader_mark;
  return of_whole ? of_whole->load(std::memory_order_relaxed)
                  : run.record.has_reader();
}

void add_note(run_base& run, const std::string& name, std::string data_json) {
  auto event = run_event{};
  event.type = event_type::custom;
  event.text = name;
  event.data_json = std::move(data_json);
  add_event(run, std::move(event));
}

bool add_note(run_base& run, const run_note& note) {
  if (!note.for_operator.empty())
    run.spec.services->log(log_level::info,
                           "run " + run.spec.run_id + ": " + note.for_operator);
  // What stays when a sandbox could not be closed in time is told too late.
  if (run.has_last_event)
    return false;
  add_note(run, note.name, note.data_json);
  return true;
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
