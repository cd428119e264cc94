#include "troupe/actors/assembly/step_list.hpp"

#include "troupe/runtime/co/for_each.hpp"

#include <functional>
#include <limits>
#include <utility>

namespace troupe {

namespace {

using names = std::vector<std::string>;

// What bounds them are the groups.
constexpr auto no_bound = std::numeric_limits<uint32_t>::max();

/// Where a list of steps stands.
struct list_place {
  workflow_context flow;
  assembly_walk_ptr walk;
  /// Who answered last.
  names before;
  /// What comes last here comes last in the workflow.
  bool is_last = false;
};

co::task<names> walk_list(list_place where,
                          const std::vector<listed_step>* steps);

co::task<names> run_one(list_place where, const assembly_member* whom) {
  auto order = member_order{std::nullopt, {}, {}, where.before, where.is_last};
  auto asked = ask_member(where.flow, where.walk, *whom, std::move(order));
  co_await asked;
  co_return names{whom->who->name};
}

co::task<names> run_step(list_place where, const listed_step* step);

co::task<void> run_part(list_place where, const listed_step* step, names* out) {
  *out = co_await run_step(std::move(where), step);
}

co::task<names> run_group(list_place where, const listed_group* group) {
  const auto& steps = group->steps;
  auto lasts = std::vector<names>(steps.size());
  auto indices = std::vector<size_t>{};
  for (size_t i = 0; i < steps.size(); ++i)
    indices.push_back(i);
  auto step = std::function<co::task<void>(size_t)>{[&](size_t i) {
    auto inner = where;
    inner.is_last = where.is_last && i + 1 == steps.size();
    return run_part(std::move(inner), &steps[i], &lasts[i]);
  }};
  auto all = co::for_each(std::move(indices), group->most_at_once,
                          std::move(step));
  co_await all;
  auto result = names{};
  for (auto& last : lasts)
    result.insert(result.end(), last.begin(), last.end());
  co_return result;
}

co::task<names> run_step(list_place where, const listed_step* step) {
  if (const auto* whom = std::get_if<assembly_member>(&step->what))
    return run_one(std::move(where), whom);
  if (const auto* group = std::get_if<listed_group>(&step->what))
    return run_group(std::move(where), group);
  const auto& branch = std::get<listed_branch>(step->what);
  auto holds = branch.when.holds(where.walk->so_far);
  return walk_list(std::move(where),
                   holds ? &branch.then_steps : &branch.else_steps);
}

co::task<names> walk_list(list_place where,
                          const std::vector<listed_step>* steps) {
  auto before = where.before;
  for (size_t i = 0; i < steps->size(); ++i) {
    auto inner = where;
    inner.before = before;
    inner.is_last = where.is_last && i + 1 == steps->size();
    auto work = run_step(std::move(inner), &(*steps)[i]);
    before = co_await work;
  }
  co_return before;
}

} // namespace

co::task<std::string> run_step_list(workflow_context flow, step_list_ptr steps,
                                    std::string task) {
  auto where
    = list_place{flow, begin_walk(flow, std::move(task), no_bound), {}, true};
  auto walk = where.walk;
  auto work = walk_list(std::move(where), steps.get());
  auto last = co_await work;
  // A branch that was not taken leaves what was said before it.
  if (last.empty())
    co_return std::string{};
  co_return answer_with(flow, *walk, last.back());
}

} // namespace troupe
