#include "troupe/actors/run/run_steps.hpp"

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/runtime/json/json_text.hpp"
#include "troupe/runtime/run/run_details.hpp"
#include "troupe/runtime/run/timestamp.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace troupe {

namespace {

run_step& step_called(run_object& object, const std::string& name) {
  auto& steps = object.steps;
  auto found = std::find_if(steps.begin(), steps.end(),
                            [&](const auto& x) { return x.name == name; });
  if (found != steps.end())
    return *found;
  steps.push_back({steps.size() + 1, {}, name, run_status::running, 0, 0});
  return steps.back();
}

run_status status_from(const std::string& word) {
  for (auto one : {run_status::completed, run_status::suspended,
                   run_status::partial, run_status::cancelled})
    if (to_string(one) == word)
      return one;
  return run_status::failed;
}

void apply(run_step& step, const run_event& event, const std::string& status) {
  step.participant = event.participant;
  if (event.type == event_type::step_stop) {
    step.status = status_from(status);
    step.ended_at = now_micros();
    return;
  }
  step.status = run_status::running;
  step.ended_at = 0;
  if (step.started_at == 0)
    step.started_at = now_micros();
}

/// Has the store show what has become of the run's steps.
void store_steps(run_base& run) {
  if (!run.spec.is_step)
    run.pending.change
      = {{run_status::running, now_micros(), 0,
          encode_details(run.spec.request, run.record.object)}};
}

void record(run_base& run, event_type type, const std::string& name,
            const std::string& participant, const std::string& status) {
  auto event = run_event{};
  event.type = type;
  event.participant = participant;
  auto data = nlohmann::json{{"name", name}};
  if (!status.empty())
    data["status"] = status;
  event.data_json = dump_json(data);
  take_step(run, event);
  add_event(run, std::move(event));
}

} // namespace

void record_step_start(run_base& run, const std::string& name,
                       const std::string& participant) {
  record(run, event_type::step_start, name, participant, {});
}

void record_step_stop(run_base& run, const std::string& name,
                      const std::string& participant, run_status status) {
  record(run, event_type::step_stop, name, participant, to_string(status));
}

// Steps are few, and their events small: reading them again costs little.
void take_step(run_base& run, run_event& event) {
  if (event.type != event_type::step_start
      && event.type != event_type::step_stop)
    return;
  auto data = parse_object(event.data_json);
  if (!data)
    return; // a part of this program made it: there is none
  auto& step = step_called(run.record.object,
                           data->value("name", std::string{}));
  apply(step, event, data->value("status", std::string{}));
  (*data)["id"] = step.id;
  event.data_json = dump_json(*data);
  store_steps(run);
}

} // namespace troupe
