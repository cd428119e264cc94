#include "troupe/runtime/run/step_recorder.hpp"

#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe {

namespace {

using nlohmann::json;

/// The text under `key`; empty where there is none.
std::string text_in(const json& data, const char* key) {
  auto found = data.find(key);
  if (found == data.end() || !found->is_string())
    return {};
  return found->get<std::string>();
}

run_status status_from(const std::string& word) {
  for (auto one : {run_status::completed, run_status::suspended,
                   run_status::partial, run_status::cancelled})
    if (to_string(one) == word)
      return one;
  return run_status::failed;
}

/// The word of a kind, where it is one.
std::string kind_from(const std::string& word) {
  return to_string(errc_from_string(word)) == word ? word : std::string{};
}

void apply(run_step& step, const run_event& event, const json& data,
           int64_t at) {
  step.participant = event.participant;
  if (event.type == event_type::step_stop) {
    step.status = status_from(text_in(data, "status"));
    step.error_kind = kind_from(text_in(data, "error"));
    step.ended_at = at;
    return;
  }
  step.status = run_status::running;
  step.error_kind.clear();
  step.ended_at = 0;
  if (step.started_at == 0)
    step.started_at = at;
}

void add_transition(run_object& object, std::string from, const std::string& to,
                    int64_t at) {
  if (object.transitions.size() < most_transitions)
    object.transitions.push_back({std::move(from), to, at});
  else
    ++object.transitions_left_out;
}

/// How the run came to a step that begins. An older version did not say.
void add_transitions(run_object& object, const json& data,
                     const std::string& name, int64_t at) {
  auto after = data.find("after");
  if (after == data.end() || !after->is_array())
    return;
  for (const auto& one : *after)
    if (one.is_string())
      add_transition(object, one.get<std::string>(), name, at);
  if (after->empty())
    add_transition(object, {}, name, at);
}

} // namespace

run_step* step_recorder::find(run_object& object, const std::string& name) {
  auto& steps = object.steps;
  for (; known_ < steps.size(); ++known_)
    index_.emplace(steps[known_].name, known_);
  auto found = index_.find(name);
  return found == index_.end() ? nullptr : &steps[found->second];
}

run_step* step_recorder::begin(run_object& object, const std::string& name) {
  auto& steps = object.steps;
  if (steps.size() >= most_steps) {
    ++object.steps_left_out;
    return nullptr;
  }
  auto id = steps.size() + 1;
  steps.push_back({id, {}, name, run_status::running, 0, 0});
  return &steps.back();
}

step_recorder::outcome step_recorder::take(run_object& object, run_event& event,
                                           int64_t at) {
  if (event.type != event_type::step_start
      && event.type != event_type::step_stop)
    return outcome::nothing;
  auto data = parse_object(event.data_json);
  if (!data)
    return outcome::nothing;
  auto name = text_in(*data, "name");
  auto* step = find(object, name);
  if (step == nullptr && event.type == event_type::step_start) {
    step = begin(object, name);
    add_transitions(object, *data, name, at);
  }
  data->erase("id"); // that in the assembly beneath
  if (step != nullptr) {
    apply(*step, event, *data, at);
    (*data)["id"] = step->id;
  }
  event.data_json = dump_json(*data);
  return step == nullptr ? outcome::left_out : outcome::kept;
}

void recover_steps(run_object& object, std::vector<run_event> events) {
  // The step of an agent's own run has no name and no events.
  std::erase_if(object.steps, [](const auto& x) { return !x.name.empty(); });
  object.steps_left_out = 0;
  object.transitions.clear();
  object.transitions_left_out = 0;
  auto recorder = step_recorder{};
  for (auto& event : events)
    recorder.take(object, event, event.at);
}

} // namespace troupe
