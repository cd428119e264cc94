#include "troupe/actors/assembly/make_assembly.hpp"

#include "troupe/actors/assembly/graph.hpp"
#include "troupe/actors/assembly/step_list.hpp"
#include "troupe/actors/assembly/swarm.hpp"
#include "troupe/config/participant_reader.hpp"
#include "troupe/runtime/assembly/assembly_check.hpp"
#include "troupe/runtime/run/workflow_names.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace troupe {

namespace {

class assembly_maker {
public:
  assembly_maker(const participant_finder& find, std::vector<fault>& wrong)
    : find_(find),
      wrong_(wrong) {
    // nop
  }

  workflow_definition_ptr make(const assembly_settings& x) {
    auto result = std::make_shared<workflow_definition>();
    result->settings.name = x.name;
    result->settings.description = x.description;
    result->settings.kind = x.kind();
    result->settings.source = x.source;
    result->settings.sandbox = x.sandbox;
    result->settings.workspace = x.workspace;
    result->settings.deadline = x.deadline;
    if (auto why = check_name(x.kind(), x.name))
      take(why);
    if (x.deadline && x.deadline->count() <= 0)
      fail("deadline", "must be longer than 0s");
    for (auto& one : check_assembly(x))
      wrong_.push_back(std::move(one));
    is_read_ = !x.source.empty();
    if (const auto* graph = std::get_if<graph_settings>(&x.what))
      result->body = make_graph(*graph);
    else if (const auto* swarm = std::get_if<swarm_settings>(&x.what))
      result->body = make_swarm(*swarm);
    else
      result->body = make_steps(std::get<workflow_file_settings>(x.what));
    result->members = std::move(members_);
    return result;
  }

private:
  using body = workflow::coroutine;

  void fail(const std::string& path, const std::string& what,
            std::string hint = {}) {
    auto x = fault{};
    x.kind = errc::configuration;
    x.message = path + ": " + what;
    x.hint = std::move(hint);
    wrong_.push_back(std::move(x));
  }

  /// Those that are made in code were checked by no reader.
  void check_count(uint32_t count, const std::string& path) {
    if (count == 0)
      fail(path, "must be at least 1");
  }

  void take(const caf::error& why) {
    for (auto& one : to_faults(why))
      wrong_.push_back(std::move(one));
  }

  participant make_participant(const participant_settings& x,
                               const std::string& name,
                               const std::string& path) {
    auto result = participant{};
    result.name = name;
    result.what = find_(x, path);
    result.has_context = x.context;
    result.timeout = x.timeout;
    result.retries = x.retries;
    result.retry_on = x.retry_on;
    // A reader has reported it.
    if (x.agent.empty() && !x.definition && !x.own && !is_read_)
      fail(path, "names nobody");
    if (x.retries > 0 && x.retry_on.empty())
      fail(path + ".retries", "retries without retry_on repeat nothing");
    for (const auto& word : x.retry_on)
      if (!is_error_word(word))
        fail(path + ".retry_on", "there is no kind of error \"" + word + "\"");
    if (!is_read_) // steps are stored under these names
      if (auto why = check_name("a participant", name))
        take(why);
    if (x.timeout && x.timeout->count() <= 0)
      fail(path + ".timeout", "must be longer than 0s");
    return result;
  }

  assembly_member make_member(const participant_settings& x,
                              const std::string& name,
                              const std::string& path) {
    auto who
      = std::make_shared<const participant>(make_participant(x, name, path));
    members_.emplace(name, who);
    return {std::move(who), x.input, x.map, x.history};
  }

  body make_graph(const graph_settings& x) {
    auto graph = std::make_shared<graph_definition>();
    graph->max_concurrency = x.max_concurrency;
    check_count(x.max_concurrency, "max_concurrency");
    for (const auto& [name, node] : x.nodes)
      graph->nodes[name] = make_member(node, name, "nodes." + name);
    auto plan = graph_plan::make(x);
    if (!plan)
      return {}; // reported
    graph->plan = std::move(*plan);
    return [graph](workflow_context flow, std::string task) {
      return run_graph(std::move(flow), graph, std::move(task));
    };
  }

  body make_swarm(const swarm_settings& x) {
    auto swarm = std::make_shared<swarm_definition>();
    swarm->start = x.start;
    swarm->max_steps = x.max_steps;
    swarm->max_handoff_repeats = x.max_handoff_repeats;
    check_count(x.max_steps, "max_steps");
    check_count(x.max_handoff_repeats, "max_handoff_repeats");
    auto all = std::map<std::string, participant>{};
    for (const auto& [name, member] : x.members)
      all[name] = make_participant(member, name, "members." + name);
    for (const auto& [name, member] : x.members) {
      auto one = all[name];
      give_handoff_tool(one, x, all);
      auto who = std::make_shared<const participant>(std::move(one));
      members_.emplace(name, who);
      swarm->members[name] = {std::move(who), member.input, member.map,
                              member.history};
    }
    return [swarm](workflow_context flow, std::string task) {
      return run_swarm(std::move(flow), swarm, std::move(task));
    };
  }

  void give_handoff_tool(participant& one, const swarm_settings& x,
                         const std::map<std::string, participant>& all) {
    auto found = x.handoffs.find(one.name);
    if (found == x.handoffs.end() || found->second.empty())
      return;
    if (one.what.workflow)
      fail("members." + one.name, "an assembly cannot hand over: an agent can");
    auto targets = std::map<std::string, std::string>{};
    for (const auto& to : found->second)
      if (auto target = all.find(to); target != all.end())
        targets[to] = description_of(target->second.what);
    if (targets.empty())
      return; // reported
    auto tools = compile_tools({make_handoff_tool(targets)});
    if (!tools)
      return take(tools.error());
    one.more_tools
      = std::make_shared<const std::vector<compiled_tool>>(std::move(*tools));
    one.final_tool = handoff_tool_name;
  }

  static std::string description_of(const run_definition& x) {
    if (x.workflow)
      return x.workflow->settings.description;
    return x.agent ? x.agent->settings.description : std::string{};
  }

  body make_steps(const workflow_file_settings& x) {
    auto steps = std::make_shared<const std::vector<listed_step>>(
      make_list(x.steps, "steps"));
    return [steps](workflow_context flow, std::string task) {
      return run_step_list(std::move(flow), steps, std::move(task));
    };
  }

  std::vector<listed_step>
  make_list(const std::vector<workflow_step_settings>& steps,
            const std::string& path) {
    auto result = std::vector<listed_step>{};
    for (size_t i = 0; i < steps.size(); ++i)
      if (auto step = make_step(steps[i], path + "[" + std::to_string(i) + "]"))
        result.push_back(std::move(*step));
    return result;
  }

  std::optional<listed_step> make_step(const workflow_step_settings& step,
                                       const std::string& path) {
    if (const auto* x = std::get_if<invoke_step_settings>(&step.what))
      return listed_step{make_member(x->participant, x->as, path + ".invoke")};
    if (const auto* x = std::get_if<parallel_step_settings>(&step.what)) {
      check_count(x->max_concurrency, path + ".max_concurrency");
      return listed_step{listed_group{make_list(x->steps, path + ".parallel"),
                                      x->max_concurrency}};
    }
    return make_branch(std::get<branch_step_settings>(step.what), path);
  }

  std::optional<listed_step> make_branch(const branch_step_settings& x,
                                         const std::string& path) {
    auto when = output_condition::make(x.when);
    auto then_steps = make_list(x.then_steps, path + ".then");
    auto else_steps = make_list(x.else_steps, path + ".else");
    if (!when)
      return std::nullopt; // reported
    return listed_step{listed_branch{std::move(*when), std::move(then_steps),
                                     std::move(else_steps)}};
  }

  const participant_finder& find_;
  std::vector<fault>& wrong_;
  std::map<std::string, participant_ptr> members_;
  /// Whether a reader has looked at it.
  bool is_read_ = false;
};

} // namespace

workflow_definition_ptr make_assembly(const assembly_settings& settings,
                                      const participant_finder& find,
                                      std::vector<fault>& wrong) {
  return assembly_maker{find, wrong}.make(settings);
}

} // namespace troupe
