#include "troupe/actors/agent_catalog.hpp"

#include "troupe/actors/sandbox/sandbox.hpp"
#include "troupe/actors/tools/builtin_tools.hpp"
#include "troupe/config/load_agent.hpp"
#include "troupe/config/validate_settings.hpp"
#include "troupe/runtime/json/json_schema.hpp"
#include "troupe/runtime/prompt/template_text.hpp"

#include <utility>

namespace troupe {

namespace {

caf::error in_agent(const agent_settings& settings, const caf::error& why) {
  auto what = to_fault(why);
  auto place = settings.source.empty() ? "agent " + settings.name
                                       : settings.source;
  what.where = what.where.empty() ? place : what.where + ", " + place;
  return make_error(std::move(what));
}

caf::expected<tool> find_tool(const std::string& name,
                              const catalog_sources& sources) {
  for (const auto& one : sources.tools)
    if (one.spec().name == name)
      return one;
  return builtin_tool(name);
}

caf::expected<std::vector<compiled_tool>>
collect_tools(const agent& one, const catalog_sources& sources) {
  auto tools = std::vector<tool>{};
  for (const auto& name : one.settings().tools) {
    auto found = find_tool(name, sources);
    if (!found)
      return std::move(found.error());
    tools.push_back(std::move(*found));
  }
  tools.insert(tools.end(), one.tools().begin(), one.tools().end());
  return compile_tools(tools);
}

caf::error check(const agent_settings& agent, const catalog_sources& sources) {
  if (auto why = validate(agent, sources.models.settings);
      why
      && !sources.models.models.contains(
        agent.model.substr(0, agent.model.find(':'))))
    return why;
  if (auto why = check_model(sources.models, agent.model, agent.folder))
    return why;
  if (auto why
      = check_sandbox(agent.sandbox.value_or(sources.models.settings.sandbox)))
    return why;
  if (!agent.system_template.empty()) {
    auto prompt = template_text::compile(agent.system_prompt,
                                         agent.system_template);
    if (!prompt)
      return std::move(prompt.error());
  }
  if (!agent.result_schema_json.empty()) {
    auto schema = json_schema::compile(agent.result_schema_json);
    if (!schema)
      return std::move(schema.error());
  }
  return {};
}

caf::expected<agent_definition_ptr> define(const agent& one,
                                           const catalog_sources& sources) {
  if (auto why = check(one.settings(), sources))
    return in_agent(one.settings(), why);
  auto tools = collect_tools(one, sources);
  if (!tools)
    return in_agent(one.settings(), tools.error());
  return std::make_shared<const agent_definition>(
    agent_definition{one.settings(), std::move(*tools)});
}

} // namespace

caf::expected<std::map<std::string, agent_definition_ptr>>
load_agents(const std::vector<agent>& agents, const catalog_sources& sources) {
  auto all = agents;
  for (const auto& [name, path] : sources.models.settings.agents) {
    auto settings = load_agent_file(path, sources.environment);
    if (!settings)
      return std::move(settings.error());
    settings->name = name;
    all.emplace_back(std::move(*settings));
  }
  auto result = std::map<std::string, agent_definition_ptr>{};
  for (const auto& one : all) {
    auto definition = define(one, sources);
    if (!definition)
      return std::move(definition.error());
    auto name = one.settings().name;
    if (!result.emplace(name, std::move(*definition)).second)
      return make_error(errc::configuration,
                        "there are two agents \"" + name + "\"");
  }
  return result;
}

} // namespace troupe
