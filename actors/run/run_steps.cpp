#include "troupe/actors/run/run_steps.hpp"

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe {

namespace {

// Up to so many steps the store is told of each change, and then of as many at
// once as are a part of them: the whole list is written each time. What a crash
// loses of it is put together from the events.
constexpr auto few_steps = size_t{64};
constexpr auto told_part = size_t{16};

/// Has the store show what has become of the run's steps.
void store_steps(run_base& run) {
  auto count = run.record.object.steps.size();
  if (run.spec.is_step
      || (++run.untold_steps < count / told_part && count > few_steps))
    return;
  run.untold_steps = 0;
  run.pending.change = {{run_status::running, now_micros(), 0,
                         encode_details(run.spec.request, run.record.object)}};
}

void record(run_base& run, event_type type, const std::string& participant,
            const nlohmann::json& data) {
  auto event = run_event{};
  event.type = type;
  event.participant = participant;
  event.data_json = dump_json(data);
  take_step(run, event);
  add_event(run, std::move(event));
}

} // namespace

void record_step_start(run_base& run, const std::string& name,
                       const std::string& participant,
                       const std::vector<std::string>& after) {
  record(run, event_type::step_start, participant,
         {{"name", name}, {"after", after}});
}

void record_step_stop(run_base& run, const std::string& name,
                      const std::string& participant, run_status status,
                      const std::string& error_kind) {
  auto data = nlohmann::json{{"name", name}, {"status", to_string(status)}};
  if (!error_kind.empty())
    data["error"] = error_kind;
  record(run, event_type::step_stop, participant, data);
}

void take_step(run_base& run, run_event& event) {
  auto taken = run.steps.take(run.record.object, event, now_micros());
  if (taken == step_recorder::outcome::kept)
    store_steps(run);
}

} // namespace troupe
