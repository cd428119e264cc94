#include "troupe/actors/run/lost_step.hpp"

#include "troupe/actors/workflow/helper_set.hpp"
#include "troupe/actors/workflow/participant.hpp"

#include <map>
#include <optional>

namespace troupe {

namespace {

/// Step -> who took it.
using step_names = std::map<std::string, std::string>;

/// Whether somebody can tell who takes part in `x`.
bool is_listed(const run_definition& x) {
  return x.workflow ? !x.workflow->members.empty()
                    : x.agent && x.agent->helpers != nullptr;
}

template <class Map>
const participant* find_in(const Map& all, const std::string& name) {
  auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second.who;
}

const participant* find_part(const run_definition& in,
                             const std::string& name) {
  if (in.workflow) {
    auto found = in.workflow->members.find(name);
    return found == in.workflow->members.end() ? nullptr : found->second.get();
  }
  const auto& helpers = *in.agent->helpers;
  const auto* kind = find_in(helpers.kinds, name);
  return kind ? kind : find_in(helpers.by_tool, name);
}

/// Goes from the run down to a step, through those that it is a part of.
bool has_somebody(run_definition at, const std::string& step,
                  const step_names& participants) {
  for (auto end = step.find('/');; end = step.find('/', end + 1)) {
    auto who = participants.find(step.substr(0, end));
    if (!is_listed(at) || who == participants.end())
      return true; // nobody can tell
    const auto* part = find_part(at, who->second);
    if (!part)
      return false;
    if (end == std::string::npos)
      return true;
    at = part->what;
  }
}

bool is_open(const run_step& x) {
  return !x.name.empty()
         && (x.status == run_status::running
             || x.status == run_status::suspended);
}

} // namespace

std::string find_lost_step(const run_object& run,
                           const run_definition& definition) {
  auto participants = step_names{};
  for (const auto& step : run.steps)
    participants[step.name] = step.participant;
  for (const auto& step : run.steps)
    if (is_open(step) && !has_somebody(definition, step.name, participants))
      return step.name;
  return {};
}

} // namespace troupe
