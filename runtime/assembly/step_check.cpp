#include "troupe/runtime/assembly/step_check.hpp"

#include "troupe/runtime/assembly/input_check.hpp"
#include "troupe/runtime/assembly/output_condition.hpp"

#include <set>
#include <string>

namespace troupe {

namespace {

using name_set = std::set<std::string>;
using step_list = std::vector<workflow_step_settings>;

/// What is known of the steps before one.
struct step_names {
  /// Those that can have ended.
  name_set ended;
  /// Those that can run in the same run, beside it or before.
  name_set taken;

  void add(const step_names& x) {
    ended.insert(x.ended.begin(), x.ended.end());
    taken.insert(x.taken.begin(), x.taken.end());
  }
};

class step_checker {
public:
  std::vector<fault> run(const step_list& steps) {
    collect(steps);
    if (steps.empty())
      wrong_.add("steps", "there are none");
    auto names = step_names{};
    check_list(steps, "steps", names);
    return wrong_.take();
  }

private:
  void collect(const step_list& steps) {
    for (const auto& step : steps)
      if (const auto* x = std::get_if<invoke_step_settings>(&step.what))
        all_.insert(x->as);
      else if (const auto* group
               = std::get_if<parallel_step_settings>(&step.what))
        collect(group->steps);
      else {
        const auto& branch = std::get<branch_step_settings>(step.what);
        collect(branch.then_steps);
        collect(branch.else_steps);
      }
  }

  void check_list(const step_list& steps, const std::string& path,
                  step_names& names) {
    for (size_t i = 0; i < steps.size(); ++i)
      check(steps[i], path + "[" + std::to_string(i) + "]", names);
  }

  void check(const workflow_step_settings& step, const std::string& path,
             step_names& names) {
    if (const auto* x = std::get_if<invoke_step_settings>(&step.what))
      check_invoke(*x, path, names);
    else if (const auto* group
             = std::get_if<parallel_step_settings>(&step.what))
      check_group(*group, path, names);
    else
      check_branch(std::get<branch_step_settings>(step.what), path, names);
  }

  void check_invoke(const invoke_step_settings& x, const std::string& path,
                    step_names& names) {
    if (x.participant.input)
      check_input(*x.participant.input, path + ".input",
                  {"step", {all_.begin(), all_.end()}, names.ended}, wrong_);
    names.ended.insert(x.as);
    if (!names.taken.insert(x.as).second && !x.as.empty())
      wrong_.add(path + ".as",
                 "another step is \"" + x.as
                   + "\", too: one of them would lose its result",
                 "give it a name of its own: as: …");
  }

  void check_group(const parallel_step_settings& x, const std::string& path,
                   step_names& names) {
    auto before = names.ended;
    for (size_t i = 0; i < x.steps.size(); ++i) {
      auto part = step_names{before, names.taken};
      check(x.steps[i], path + ".parallel[" + std::to_string(i) + "]", part);
      names.add(part);
    }
  }

  void check_branch(const branch_step_settings& x, const std::string& path,
                    step_names& names) {
    auto when = output_condition::make(x.when);
    if (!when)
      wrong_.add(path + ".when", to_fault(when.error()).message);
    if (!x.when.holds && !names.ended.contains(x.when.node))
      wrong_.add(path + ".when.node",
                 "no step before this one is called \"" + x.when.node + "\"",
                 hint_for(x.when.node,
                          {names.ended.begin(), names.ended.end()}));
    // Only one of the two runs: they may have steps of one name.
    auto otherwise = names;
    check_list(x.then_steps, path + ".then", names);
    check_list(x.else_steps, path + ".else", otherwise);
    names.add(otherwise);
  }

  name_set all_;
  assembly_faults wrong_;
};

} // namespace

std::vector<fault> check_steps(const workflow_file_settings& x) {
  return step_checker{}.run(x.steps);
}

} // namespace troupe
