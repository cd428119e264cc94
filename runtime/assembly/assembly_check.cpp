#include "troupe/runtime/assembly/assembly_check.hpp"

#include "troupe/config/load_agent.hpp"
#include "troupe/runtime/assembly/graph_check.hpp"
#include "troupe/runtime/assembly/step_check.hpp"
#include "troupe/runtime/assembly/swarm_check.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace troupe {

namespace {

class definition_checker {
public:
  void check(const definition_settings& x) {
    if (const auto* agent = std::get_if<agent_settings>(&x.what))
      return check_helpers(*agent);
    const auto& assembly = std::get<assembly_settings>(x.what);
    for (auto& one : check_assembly(assembly)) {
      set_place(one, assembly);
      wrong_.push_back(std::move(one));
    }
    if (const auto* graph = std::get_if<graph_settings>(&assembly.what))
      check_all(graph->nodes);
    else if (const auto* swarm = std::get_if<swarm_settings>(&assembly.what))
      check_all(swarm->members);
    else
      check_list(std::get<workflow_file_settings>(assembly.what).steps);
  }

  std::vector<fault> take() {
    return std::move(wrong_);
  }

private:
  void check_participant(const participant_settings& x) {
    // A file that is named twice is one definition.
    if (x.definition && seen_.insert(x.definition.get()).second)
      check(*x.definition);
  }

  void check_all(const std::map<std::string, participant_settings>& all) {
    for (const auto& [name, one] : all)
      check_participant(one);
  }

  void check_helpers(const agent_settings& x) {
    for (const auto& [kind, one] : x.subagents)
      check_participant(one.participant);
    for (const auto& one : x.assembly_tools)
      check_participant(one.participant);
  }

  void check_list(const std::vector<workflow_step_settings>& steps) {
    for (const auto& step : steps)
      if (const auto* x = std::get_if<invoke_step_settings>(&step.what))
        check_participant(x->participant);
      else if (const auto* group
               = std::get_if<parallel_step_settings>(&step.what))
        check_list(group->steps);
      else {
        const auto& branch = std::get<branch_step_settings>(step.what);
        check_list(branch.then_steps);
        check_list(branch.else_steps);
      }
  }

  std::set<const definition_settings*> seen_;
  std::vector<fault> wrong_;
};

bool is_of_path(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9')
         || std::string_view{"_-.[]"}.find(c) != std::string_view::npos;
}

} // namespace

std::vector<fault> check_assembly(const assembly_settings& x) {
  if (const auto* graph = std::get_if<graph_settings>(&x.what))
    return check_graph(*graph);
  if (const auto* swarm = std::get_if<swarm_settings>(&x.what))
    return check_swarm(*swarm);
  return check_steps(std::get<workflow_file_settings>(x.what));
}

std::vector<fault> check_definition(const definition_settings& x) {
  auto result = definition_checker{};
  result.check(x);
  return result.take();
}

void set_place(fault& what, const assembly_settings& x) {
  if (!what.where.empty())
    return;
  if (x.source.empty()) {
    what.where = x.kind() + " " + x.name;
    return;
  }
  auto path = path_of(what);
  if (!path.empty())
    what.message = join_paths(x.path, what.message);
  what.where = place_in_file(x.source, join_paths(x.path, path));
}

std::string path_of(const fault& what) {
  auto end = std::min(what.message.find(": "), what.message.size());
  auto path = what.message.substr(0, end);
  auto is_path = end < what.message.size()
                 && std::all_of(path.begin(), path.end(), is_of_path);
  return is_path ? path : std::string{};
}

} // namespace troupe
