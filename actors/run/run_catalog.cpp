#include "troupe/actors/run/run_catalog.hpp"

#include "troupe/actors/sandbox/sandbox_host.hpp"
#include "troupe/config/nearest_name.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/run/workflow_names.hpp"

#include <utility>
#include <vector>

namespace troupe {

namespace {

template <class Map>
void add_names(const Map& all, std::vector<std::string>& out) {
  for (const auto& [name, definition] : all)
    out.push_back(name);
}

co::failure unknown(const std::string& what, const std::string& name,
                    const std::vector<std::string>& known,
                    std::string hint = {}) {
  if (auto near = nearest_name(name, known))
    hint = "did you mean \"" + *near + "\"?";
  return co::failure{make_error(errc::configuration,
                                "there is no " + what + " \"" + name + "\"", {},
                                std::move(hint))};
}

workflow_definition_ptr checked(workflow_definition_ptr found,
                                const std::string& input) {
  if (found->check)
    if (auto why = found->check(input))
      throw co::failure{make_error(errc::configuration,
                                   "the input is not what the workflow \""
                                     + found->settings.name
                                     + "\" takes: " + to_fault(why).message)};
  return found;
}

caf::error check_workflow(const workflow_definition& x,
                          const sandbox_settings& sandbox) {
  if (auto why = check_name("workflow", x.settings.name))
    return why;
  if (!x.body)
    return make_error(errc::configuration,
                      "the workflow \"" + x.settings.name + "\" has no body");
  return check_sandbox(x.settings.sandbox.value_or(sandbox));
}

} // namespace

agent_definition_ptr find_agent(const run_catalog& catalog,
                                const std::string& name) {
  auto found = catalog.agents.find(name);
  if (found != catalog.agents.end())
    return found->second;
  auto known = std::vector<std::string>{};
  add_names(catalog.agents, known);
  throw unknown("agent", name, known);
}

run_definition find_definition(const run_catalog& catalog,
                               const run_request& request) {
  const auto& name = request.agent;
  auto flow = catalog.workflows.find(name);
  if (flow != catalog.workflows.end())
    return {nullptr, checked(flow->second, request.input)};
  auto found = catalog.agents.find(name);
  if (found != catalog.agents.end())
    return {found->second, nullptr};
  auto known = std::vector<std::string>{};
  add_names(catalog.agents, known);
  add_names(catalog.workflows, known);
  throw unknown(catalog.workflows.empty() ? "agent" : "agent or workflow", name,
                known);
}

run_definition find_definition(const run_catalog& catalog,
                               const run_request& request,
                               const std::string& kind) {
  if (!request.agent_file.empty()) {
    auto loaded = catalog.load_file(request.agent_file);
    if (!loaded)
      throw co::failure{std::move(loaded.error())};
    return std::move(*loaded);
  }
  if (kind == "agent")
    return {find_agent(catalog, request.agent), nullptr};
  auto found = catalog.workflows.find(request.agent);
  if (found != catalog.workflows.end())
    return {nullptr, found->second};
  auto known = std::vector<std::string>{};
  add_names(catalog.workflows, known);
  throw unknown(kind, request.agent, known,
                "go on with the run in the program that has the " + kind);
}

run_definition bare_definition(const std::string& kind,
                               const std::string& name) {
  if (kind != "agent") {
    auto flow = workflow_definition{};
    flow.settings.name = name;
    flow.settings.kind = kind;
    return {nullptr, std::make_shared<const workflow_definition>(flow)};
  }
  auto one = agent_definition{};
  one.settings.name = name;
  return {std::make_shared<const agent_definition>(std::move(one)), nullptr};
}

caf::expected<std::map<std::string, workflow_definition_ptr>>
load_workflows(const std::vector<workflow>& all,
               const std::map<std::string, agent_definition_ptr>& agents,
               const sandbox_settings& sandbox) {
  auto wrong = std::vector<fault>{};
  auto result = std::map<std::string, workflow_definition_ptr>{};
  for (const auto& one : all) {
    const auto& definition = one.definition();
    const auto& name = definition->settings.name;
    if (auto why = check_workflow(*definition, sandbox))
      wrong.push_back(to_fault(why));
    if (agents.contains(name))
      wrong.push_back(to_fault(make_error(
        errc::configuration,
        "\"" + name + "\" is the name of an agent and of a workflow")));
    if (!result.emplace(name, definition).second)
      wrong.push_back(to_fault(make_error(
        errc::configuration, "there are two workflows \"" + name + "\"")));
  }
  if (!wrong.empty())
    return make_error(wrong);
  return result;
}

} // namespace troupe
