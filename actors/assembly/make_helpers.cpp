#include "troupe/actors/assembly/make_helpers.hpp"

#include "troupe/actors/workflow/helper_tools.hpp"
#include "troupe/runtime/run/workflow_names.hpp"

#include <string>
#include <utility>

namespace troupe {

namespace {

void fail(std::vector<fault>& wrong, const std::string& path,
          const std::string& what, std::string hint = {}) {
  wrong.push_back(to_fault(
    make_error(errc::configuration, path + ": " + what, {}, std::move(hint))));
}

/// What counts for the steps of an assembly, and not for helpers, whose model
/// says what they are asked and when they are asked again.
void check_options(const participant_settings& x, bool is_subagent,
                   const std::string& path, std::vector<fault>& wrong) {
  if (x.input || x.map)
    fail(wrong, path + ".input", "has no meaning here: the model writes it");
  if (x.history)
    fail(wrong, path + ".history",
         "has no meaning here: it sees its own conversation");
  if (x.retries > 0 && is_subagent)
    fail(wrong, path + ".retries",
         "a subagent is not retried: its model decides",
         "make it a tool: {assembly: …, retries: …}");
}

helper_kind make_kind(const participant_settings& x, const std::string& name,
                      const std::string& path, const participant_finder& find) {
  auto result = helper_kind{};
  result.who.name = name;
  result.who.has_context = x.context;
  result.who.timeout = x.timeout;
  result.who.retries = x.retries;
  result.who.retry_on = x.retry_on;
  if (!x.definition && !x.own) {
    result.named = x.agent;
    return result;
  }
  result.who.what = find(x, path);
  if (result.who.what.workflow)
    result.description = result.who.what.workflow->settings.description;
  else if (result.who.what.agent)
    result.description = result.who.what.agent->settings.description;
  return result;
}

void add_subagents(const agent_settings& x, const participant_finder& find,
                   helper_set& out, std::vector<fault>& wrong) {
  for (const auto& [name, one] : x.subagents) {
    auto path = "subagents." + name;
    if (auto why = check_name("subagent", name))
      fail(wrong, path, to_fault(why).message);
    check_options(one.participant, true, path, wrong);
    auto kind = make_kind(one.participant, name, path, find);
    kind.max = one.max;
    if (kind.who.what.workflow)
      fail(wrong, path, "an assembly cannot be spoken to: an agent can",
           "make it a tool: tools: [{assembly: …, name: …}]");
    out.kinds.emplace(name, std::move(kind));
  }
}

void add_assemblies(const agent_settings& x, const participant_finder& find,
                    helper_set& out, std::vector<fault>& wrong) {
  for (const auto& one : x.assembly_tools) {
    auto path = "tools." + one.name;
    check_options(one.participant, false, path, wrong);
    auto kind = make_kind(one.participant, one.name, path, find);
    if (!one.description.empty())
      kind.description = one.description;
    if (!out.by_tool.emplace(one.name, std::move(kind)).second)
      fail(wrong, path, "there are two tools of this name");
  }
}

} // namespace

std::shared_ptr<helper_set> make_helpers(const agent_settings& x,
                                         const participant_finder& find,
                                         std::vector<fault>& wrong) {
  if (x.subagents.empty() && x.assembly_tools.empty())
    return nullptr;
  auto result = std::make_shared<helper_set>();
  add_subagents(x, find, *result, wrong);
  add_assemblies(x, find, *result, wrong);
  return result;
}

} // namespace troupe
