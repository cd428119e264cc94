#include "troupe/actors/agent_catalog.hpp"

#include "troupe/actors/sandbox/sandbox_host.hpp"
#include "troupe/actors/tools/builtin_tools.hpp"
#include "troupe/config/load_agent.hpp"
#include "troupe/config/validate_settings.hpp"
#include "troupe/runtime/json/json_schema.hpp"
#include "troupe/runtime/prompt/template_text.hpp"

#include <utility>

namespace troupe {

namespace {

using faults = std::vector<fault>;

/// Takes over what is wrong with the key `path` of `agent`, named and placed
/// unless the error does so itself.
void take_over(faults& all, const caf::error& why, const agent_settings& agent,
               const std::string& path) {
  for (auto& what : to_faults(why)) {
    auto is_named = what.kind != errc::configuration
                    || what.message.starts_with(path);
    if (!is_named)
      what.message = path + ": " + what.message;
    auto place = place_in_agent(agent, path);
    if (what.where.empty() || what.where == agent.source)
      what.where = std::move(place);
    else
      what.where += ", " + place;
    all.push_back(std::move(what));
  }
}

caf::expected<tool> find_tool(const std::string& name,
                              const catalog_sources& sources) {
  for (const auto& one : sources.tools)
    if (one.spec().name == name)
      return one;
  return builtin_tool(name);
}

std::vector<compiled_tool>
collect_tools(const agent& one, const catalog_sources& sources, faults& wrong) {
  const auto& names = one.settings().tools;
  auto tools = std::vector<tool>{};
  for (size_t i = 0; i < names.size(); ++i)
    if (auto found = find_tool(names[i], sources))
      tools.push_back(std::move(*found));
    else
      take_over(wrong, found.error(), one.settings(),
                "tools[" + std::to_string(i) + "]");
  tools.insert(tools.end(), one.tools().begin(), one.tools().end());
  auto compiled = compile_tools(tools);
  if (compiled)
    return std::move(*compiled);
  take_over(wrong, compiled.error(), one.settings(), "tools");
  return {};
}

caf::error check_own_model(const agent_settings& agent,
                           const catalog_sources& sources) {
  auto connection = agent.model.substr(0, agent.model.find(':'));
  if (!sources.models.models.contains(connection))
    if (auto why = validate(agent, sources.models.settings))
      return why;
  return check_model(sources.models, agent.model, agent.folder);
}

caf::error check_prompt(const agent_settings& agent) {
  if (agent.system_template.empty())
    return {};
  auto prompt = template_text::compile(agent.system_prompt,
                                       agent.system_template);
  return prompt ? caf::error{} : std::move(prompt.error());
}

caf::error check_schema(const agent_settings& agent) {
  if (agent.result_schema_json.empty())
    return {};
  auto schema = json_schema::compile(agent.result_schema_json);
  return schema ? caf::error{} : std::move(schema.error());
}

/// Looks at everything, so that all errors come at once.
agent_definition_ptr define(const agent& one, const catalog_sources& sources,
                            faults& wrong) {
  const auto& x = one.settings();
  const auto& sandbox = x.sandbox.value_or(sources.models.settings.sandbox);
  auto note = [&](const caf::error& why, const char* path) {
    if (why)
      take_over(wrong, why, x, path);
  };
  note(check_own_model(x, sources), "model");
  note(check_sandbox(sandbox), "sandbox");
  note(check_prompt(x), "system_template");
  note(check_schema(x), "result_schema");
  auto tools = collect_tools(one, sources, wrong);
  return std::make_shared<const agent_definition>(
    agent_definition{x, std::move(tools)});
}

/// The agents that the configuration names, from their files.
std::vector<agent> read_files(const catalog_sources& sources, faults& wrong) {
  auto result = std::vector<agent>{};
  for (const auto& [name, path] : sources.models.settings.agents) {
    auto settings = load_agent_file(path, sources.environment);
    if (!settings) {
      for (auto& what : to_faults(settings.error())) {
        what.message = "agents." + name + ": " + what.message;
        wrong.push_back(std::move(what));
      }
      continue;
    }
    settings->name = name;
    result.emplace_back(std::move(*settings));
  }
  return result;
}

} // namespace

caf::expected<agent_definition_ptr>
load_agent_definition(const std::string& file, const catalog_sources& sources) {
  auto settings = load_agent_file(file, sources.environment);
  if (!settings)
    return std::move(settings.error());
  auto wrong = faults{};
  auto result = define(agent{std::move(*settings)}, sources, wrong);
  if (!wrong.empty())
    return make_error(wrong);
  return result;
}

caf::expected<std::map<std::string, agent_definition_ptr>>
load_agents(const std::vector<agent>& agents, const catalog_sources& sources) {
  auto wrong = faults{};
  auto all = agents;
  for (auto& one : read_files(sources, wrong))
    all.push_back(std::move(one));
  auto result = std::map<std::string, agent_definition_ptr>{};
  for (const auto& one : all) {
    const auto& name = one.settings().name;
    auto definition = define(one, sources, wrong);
    if (!result.emplace(name, std::move(definition)).second)
      wrong.push_back(to_fault(make_error(
        errc::configuration, "there are two agents \"" + name + "\"")));
  }
  if (!wrong.empty())
    return make_error(wrong);
  return result;
}

} // namespace troupe
