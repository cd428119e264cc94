#include "troupe/actors/definition_catalog.hpp"

#include "troupe/actors/assembly/make_assembly.hpp"
#include "troupe/actors/assembly/make_helpers.hpp"
#include "troupe/actors/sandbox/sandbox_host.hpp"
#include "troupe/actors/tools/builtin_tools.hpp"
#include "troupe/actors/tools/result_tool.hpp"
#include "troupe/actors/workflow/helper_tools.hpp"
#include "troupe/config/load_agent.hpp"
#include "troupe/config/nearest_name.hpp"
#include "troupe/config/validate_settings.hpp"
#include "troupe/runtime/assembly/assembly_check.hpp"
#include "troupe/runtime/assembly/merged_faults.hpp"
#include "troupe/runtime/prompt/template_text.hpp"
#include "troupe/runtime/run/workflow_names.hpp"

#include <algorithm>
#include <iterator>
#include <set>
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

/// The agent's own tools, unchecked.
std::vector<tool> find_tools(const agent& one, const catalog_sources& sources,
                             faults& wrong) {
  const auto& names = one.settings().tools;
  auto tools = std::vector<tool>{};
  for (size_t i = 0; i < names.size(); ++i)
    if (auto found = find_tool(names[i], sources))
      tools.push_back(std::move(*found));
    else
      take_over(wrong, found.error(), one.settings(),
                "tools[" + std::to_string(i) + "]");
  tools.insert(tools.end(), one.tools().begin(), one.tools().end());
  return tools;
}

/// Checks all tools of an agent together, those for its helpers last.
void compile_all(const agent& one, std::vector<tool> own, agent_definition& out,
                 std::shared_ptr<helper_set> helpers, faults& wrong) {
  auto count = own.size();
  if (helpers)
    for (auto& tool : make_helper_tools(*helpers))
      own.push_back(std::move(tool));
  auto compiled = compile_tools(own);
  if (!compiled)
    return take_over(wrong, compiled.error(), one.settings(), "tools");
  auto first = compiled->begin() + static_cast<std::ptrdiff_t>(count);
  if (helpers) {
    helpers->tools.assign(std::make_move_iterator(first),
                          std::make_move_iterator(compiled->end()));
    out.helpers = std::move(helpers);
  }
  compiled->erase(first, compiled->end());
  out.tools = std::move(*compiled);
}

/// Whether the application brings the model, of which no settings know.
bool has_own_model(const agent_settings& agent,
                   const catalog_sources& sources) {
  auto connection = agent.model.substr(0, agent.model.find(':'));
  return sources.models.models.contains(connection);
}

caf::error check_own_model(const agent_settings& agent,
                           const catalog_sources& sources) {
  if (!has_own_model(agent, sources))
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

/// Whether a tool of the agent has the name of the one for results.
bool is_result_tool_taken(const agent_settings& agent,
                          const std::vector<compiled_tool>& tools) {
  auto has_name = [](const auto& x) { return x.name == result_tool_name; };
  const auto& assemblies = agent.assembly_tools;
  return std::any_of(tools.begin(), tools.end(),
                     [&](const auto& x) { return has_name(x.description); })
         || std::any_of(assemblies.begin(), assemblies.end(), has_name);
}

/// Null where the agent gives no result that is checked, or its schema is none.
std::shared_ptr<const result_definition>
make_result(const agent_settings& agent,
            const std::vector<compiled_tool>& tools, faults& wrong) {
  if (agent.result_schema_json.empty())
    return nullptr;
  auto result = define_result(agent.result_schema_json);
  if (!result) {
    take_over(wrong, result.error(), agent, "result_schema");
    return nullptr;
  }
  if (is_result_tool_taken(agent, tools))
    take_over(wrong,
              make_error(errc::configuration,
                         std::string{"the name \""} + result_tool_name
                           + "\" is that of the tool for the result",
                         {}, "name the tool otherwise"),
              agent, "tools");
  return std::make_shared<const result_definition>(std::move(*result));
}

/// Looks at everything of an agent, so that all errors come at once.
void check_agent(const agent_settings& x, const catalog_sources& sources,
                 faults& wrong) {
  const auto& sandbox = x.sandbox.value_or(sources.models.settings.sandbox);
  auto note = [&](const caf::error& why, const std::string& path) {
    if (why)
      take_over(wrong, why, x, path);
  };
  note(check_own_model(x, sources), "model");
  note(check_sandbox(sandbox), "sandbox");
  note(check_prompt(x), "system_template");
  if (has_own_model(x, sources))
    for (const auto& one : find_issues(x))
      note(make_error(errc::configuration, one.message, {}, one.hint),
           one.path);
  for (size_t i = 0; i < x.produces.size(); ++i)
    note(check_artifact_name(x.produces[i]),
         "produces[" + std::to_string(i) + "]");
}

using definition_ptr = std::shared_ptr<const definition_settings>;

/// Puts a catalog together. Assemblies may name each other in any order, and
/// none may contain itself.
class catalog_maker {
public:
  catalog_maker(const catalog_sources& sources, run_catalog& catalog)
    : sources_(sources),
      catalog_(catalog) {
    // nop
  }

  void read_files(std::vector<agent>& agents) {
    for (const auto& [name, path] : sources_.models.settings.agents) {
      auto found = load_definition_file(path, sources_.environment);
      if (!found) {
        for (auto& what : to_faults(found.error())) {
          what.message = "agents." + name + ": " + what.message;
          wrong_.push_back(std::move(what));
        }
        continue;
      }
      if (const auto* one = std::get_if<agent_settings>(&(*found)->what)) {
        auto settings = *one;
        settings.name = name;
        agents.emplace_back(std::move(settings));
      } else {
        auto settings = std::get<assembly_settings>((*found)->what);
        settings.name = name;
        add_assembly(std::move(settings));
      }
    }
  }

  void add_agents(const std::vector<agent>& agents) {
    for (const auto& one : agents) {
      const auto& name = one.settings().name;
      auto definition = define(one);
      if (!catalog_.agents.emplace(name, std::move(definition)).second)
        fail("there are two agents \"" + name + "\"");
    }
  }

  void add_workflows(const std::vector<workflow>& workflows) {
    auto loaded = load_workflows(workflows, catalog_.agents,
                                 sources_.models.settings.sandbox);
    if (loaded)
      catalog_.workflows = std::move(*loaded);
    else
      for (auto& one : to_faults(loaded.error()))
        wrong_.push_back(std::move(one));
  }

  void add_assembly(assembly_settings settings) {
    auto name = settings.name;
    auto is_new = pending_.emplace(name, std::move(settings)).second;
    if (!is_new)
      fail("there are two assemblies \"" + name + "\"");
  }

  void make_assemblies() {
    for (const auto& [name, settings] : pending_)
      if (catalog_.agents.contains(name) || catalog_.workflows.contains(name))
        fail("\"" + name
             + "\" is the name of an assembly and of an agent or "
               "workflow");
    for (const auto& [name, settings] : pending_)
      find_assembly(name);
  }

  run_definition make(const assembly_settings& x) {
    return {nullptr, make_flow(x)};
  }

  run_definition make(const definition_settings& x) {
    if (const auto* one = std::get_if<agent_settings>(&x.what))
      return {define(agent{*one}), nullptr};
    return make(std::get<assembly_settings>(x.what));
  }

  /// Those that agents name, which may be defined anywhere.
  void check_named_helpers() {
    for (const auto& [name, place] : named_helpers_) {
      // A file is looked up when it is needed.
      auto is_file = name.find('/') != std::string::npos;
      if (is_file || catalog_.agents.contains(name) || find_assembly(name))
        continue;
      auto what = unknown_agent(place.second, name);
      what.where = place.first;
      wrong_.push_back(std::move(what));
    }
  }

  /// What was wrong with the form of the files already: what follows from it
  /// is not reported.
  void add_faults_of_form(faults all) {
    of_form_ = std::move(all);
  }

  caf::error error() const {
    auto all = merged_faults(of_form_, wrong_);
    return all.empty() ? caf::error{} : make_error(all);
  }

private:
  void fail(const std::string& what, std::string where = {},
            std::string hint = {}) {
    wrong_.push_back(to_fault(make_error(errc::configuration, what,
                                         std::move(where), std::move(hint))));
  }

  agent_definition_ptr define(const agent& one) {
    const auto& x = one.settings();
    auto before = wrong_.size();
    check_agent(x, sources_, wrong_);
    auto result = agent_definition{};
    result.settings = x;
    compile_all(one, find_tools(one, sources_, wrong_), result, find_helpers(x),
                wrong_);
    result.result = make_result(x, result.tools, wrong_);
    // Of what was left out of it nothing can be said.
    if (is_among(of_form_, x.source, x.path))
      wrong_.resize(before);
    return std::make_shared<const agent_definition>(std::move(result));
  }

  std::shared_ptr<helper_set> find_helpers(const agent_settings& x) {
    auto find = participant_finder{
      [this](const participant_settings& who, const std::string&) {
        return make_own(who);
      }};
    auto wrong = faults{};
    auto result = make_helpers(x, find, wrong);
    for (const auto& one : wrong)
      take_over(wrong_, make_error(one), x, {});
    auto note = [&](const auto& all, const std::string& path) {
      for (const auto& [name, kind] : all)
        if (!kind.named.empty())
          named_helpers_.emplace(
            kind.named, std::pair{place_in_agent(x, path + name), path + name});
    };
    if (result) {
      note(result->kinds, "subagents.");
      note(result->by_tool, "tools.");
    }
    return result;
  }

  fault unknown_agent(const std::string& path, const std::string& name) const {
    auto known = std::vector<std::string>{};
    for (const auto& [one, definition] : catalog_.agents)
      known.push_back(one);
    auto near = nearest_name(name, known);
    return to_fault(make_error(
      errc::configuration, path + ": there is no agent \"" + name + "\"", {},
      near ? "did you mean \"" + *near + "\"?"
           : "name a file (billing.yaml) or an agent of the configuration"));
  }

  void fail_in(const assembly_settings& x, fault what) {
    set_place(what, x);
    wrong_.push_back(std::move(what));
  }

  /// What a participant defines in place.
  run_definition make_own(const participant_settings& who) {
    if (who.definition)
      return make(*who.definition);
    if (const auto* one = std::get_if<agent>(&who.own->what))
      return {define(*one), nullptr};
    return make(std::get<assembly_settings>(who.own->what));
  }

  workflow_definition_ptr make_flow(const assembly_settings& x) {
    auto find = participant_finder{
      [this, &x](const participant_settings& who, const std::string& path) {
        return find_participant(who, path, x);
      }};
    auto wrong = faults{};
    auto result = make_assembly(x, find, wrong);
    const auto& policy = x.sandbox.value_or(sources_.models.settings.sandbox);
    if (auto why = check_sandbox(policy))
      wrong.push_back(to_fault(why));
    for (auto& one : wrong)
      fail_in(x, std::move(one));
    return result;
  }

  run_definition find_participant(const participant_settings& who,
                                  const std::string& path,
                                  const assembly_settings& in) {
    if (who.definition || who.own)
      return make_own(who);
    if (auto found = catalog_.agents.find(who.agent);
        found != catalog_.agents.end())
      return {found->second, nullptr};
    if (auto found = find_assembly(who.agent))
      return {nullptr, std::move(found)};
    // What contains itself was reported, and so was what could not be read.
    if (!who.agent.empty() && !pending_.contains(who.agent))
      fail_in(in, unknown_agent(path, who.agent));
    return {};
  }

  /// Null where there is none of that name, or it contains itself.
  workflow_definition_ptr find_assembly(const std::string& name) {
    if (auto found = catalog_.workflows.find(name);
        found != catalog_.workflows.end())
      return found->second;
    auto pending = pending_.find(name);
    if (pending == pending_.end())
      return nullptr;
    if (!open_.insert(name).second) {
      fail_in(pending->second,
              to_fault(make_error(errc::configuration,
                                  "\"" + name + "\" contains itself")));
      return nullptr;
    }
    auto result = make_flow(pending->second);
    open_.erase(name);
    catalog_.workflows.emplace(name, result);
    return result;
  }

  const catalog_sources& sources_;
  run_catalog& catalog_;
  std::map<std::string, assembly_settings> pending_;
  std::set<std::string> open_;
  /// Name -> where an agent names it, and the key.
  std::multimap<std::string, std::pair<std::string, std::string>>
    named_helpers_;
  faults of_form_;
  faults wrong_;
};

} // namespace

caf::expected<run_catalog> load_catalog(const own_definitions& own,
                                        const catalog_sources& sources) {
  auto result = run_catalog{};
  auto maker = catalog_maker{sources, result};
  auto agents = own.agents;
  maker.read_files(agents);
  maker.add_agents(agents);
  maker.add_workflows(own.workflows);
  for (const auto& one : own.assemblies)
    maker.add_assembly(one.settings());
  maker.make_assemblies();
  maker.check_named_helpers();
  if (auto why = maker.error())
    return why;
  return result;
}

caf::expected<run_definition> make_definition(const assembly& one,
                                              const run_catalog& known,
                                              const catalog_sources& sources) {
  auto catalog = known;
  auto maker = catalog_maker{sources, catalog};
  auto result = maker.make(one.settings());
  maker.check_named_helpers();
  if (auto why = maker.error())
    return why;
  return result;
}

caf::expected<run_definition> load_definition(const std::string& file,
                                              const run_catalog& known,
                                              const catalog_sources& sources) {
  auto read = read_definition_file(file, sources.environment);
  auto catalog = known;
  auto maker = catalog_maker{sources, catalog};
  if (read.wrong)
    maker.add_faults_of_form(to_faults(read.wrong));
  auto result = run_definition{};
  if (read.found)
    result = maker.make(*read.found);
  maker.check_named_helpers();
  if (auto why = maker.error())
    return why;
  return result;
}

} // namespace troupe
