#include "troupe/runtime/run/trajectory.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace troupe {

namespace {

/// Microseconds; the end is not part of it.
struct interval {
  int64_t begin = 0;
  int64_t end = 0;
};

interval time_of(const run_object& run, const run_step& step, int64_t now) {
  auto end = step.ended_at;
  if (end == 0)
    end = run.ended_at == 0 ? now : run.ended_at;
  return {step.started_at, std::max(end, step.started_at)};
}

/// That of a step which no moment is too short for.
interval presence_of(const run_object& run, const run_step& step, int64_t now) {
  auto result = time_of(run, step, now);
  result.end = std::max(result.end, result.begin + 1);
  return result;
}

const run_step* find(const run_object& run, const std::string& name) {
  auto found = std::find_if(run.steps.begin(), run.steps.end(),
                            [&](const auto& x) { return x.name == name; });
  return found == run.steps.end() ? nullptr : &*found;
}

bool contains(const std::string& outer, const std::string& inner) {
  return inner.size() > outer.size() && inner.starts_with(outer)
         && inner[outer.size()] == '/';
}

/// The names of steps around others: what stands before each slash.
std::set<std::string> containers(const run_object& run) {
  auto result = std::set<std::string>{};
  for (const auto& step : run.steps)
    for (auto at = step.name.find('/'); at != std::string::npos;
         at = step.name.find('/', at + 1))
      result.insert(step.name.substr(0, at));
  return result;
}

caf::timespan as_timespan(int64_t micros) {
  return std::chrono::microseconds{micros};
}

} // namespace

std::vector<std::string> steps_beside(const run_object& run,
                                      const std::string& name, int64_t now) {
  auto result = std::vector<std::string>{};
  const auto* step = find(run, name);
  if (step == nullptr)
    return result;
  auto own = presence_of(run, *step, now);
  for (const auto& other : run.steps) {
    if (&other == step || contains(name, other.name)
        || contains(other.name, name))
      continue;
    auto its = presence_of(run, other, now);
    if (its.begin < own.end && own.begin < its.end)
      result.push_back(other.name);
  }
  return result;
}

size_t most_at_once(const run_object& run, int64_t now) {
  auto outer = containers(run);
  auto changes = std::vector<std::pair<int64_t, int>>{};
  for (const auto& step : run.steps) {
    if (outer.contains(step.name))
      continue;
    auto its = presence_of(run, step, now);
    changes.emplace_back(its.begin, 1);
    changes.emplace_back(its.end, -1);
  }
  std::sort(changes.begin(), changes.end()); // ends before beginnings
  auto active = 0;
  auto most = 0;
  for (const auto& [at, change] : changes) {
    active += change;
    most = std::max(most, active);
  }
  return static_cast<size_t>(most);
}

std::vector<run_transition> path_to(const run_object& run,
                                    const std::string& name) {
  auto ended_at = [&run](const run_transition& x) {
    const auto* step = find(run, x.from);
    return step == nullptr ? int64_t{0} : step->ended_at;
  };
  auto result = std::vector<run_transition>{};
  auto seen = std::set<std::string>{};
  auto at = name;
  // A record may say anything, so also that a step led to itself.
  while (!at.empty() && seen.insert(at).second) {
    const run_transition* chosen = nullptr;
    for (const auto& one : run.transitions)
      if (one.to == at
          && (chosen == nullptr || ended_at(one) > ended_at(*chosen)))
        chosen = &one;
    if (chosen == nullptr)
      break;
    result.push_back(*chosen);
    at = chosen->from;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

caf::timespan total_time(const run_object& run, const std::string& name,
                         int64_t now) {
  const auto* step = find(run, name);
  if (step == nullptr)
    return caf::timespan{0};
  auto its = time_of(run, *step, now);
  return as_timespan(its.end - its.begin);
}

caf::timespan own_time(const run_object& run, const std::string& name,
                       int64_t now) {
  const auto* step = find(run, name);
  if (step == nullptr)
    return caf::timespan{0};
  auto own = time_of(run, *step, now);
  auto inner = std::vector<interval>{};
  for (const auto& other : run.steps)
    if (contains(name, other.name))
      inner.push_back(time_of(run, other, now));
  std::sort(inner.begin(), inner.end(),
            [](const auto& x, const auto& y) { return x.begin < y.begin; });
  auto rest = own.end - own.begin;
  auto covered = own.begin;
  for (const auto& one : inner) {
    auto begin = std::max(one.begin, covered);
    auto end = std::min(one.end, own.end);
    if (end <= begin)
      continue;
    rest -= end - begin;
    covered = end;
  }
  return as_timespan(rest);
}

} // namespace troupe
