#include "troupe/actors/workflow/helper_tools.hpp"

#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe {

namespace {

using json = nlohmann::json;

tool make(std::string name, std::string description, json properties,
          json required, recovery_class recovery) {
  auto spec = tool_spec{};
  spec.name = std::move(name);
  spec.description = std::move(description);
  spec.parameters = dump_json(json{{"type", "object"},
                                   {"properties", std::move(properties)},
                                   {"required", std::move(required)},
                                   {"additionalProperties", false}});
  spec.recovery = recovery;
  // The agent's run asks its host in place of this.
  auto body = tool::function{[](const tool_context&, const std::string&) {
    throw tool_error{"nobody does this here"};
    return std::string{};
  }};
  return tool{std::move(spec), std::move(body)};
}

json text_of_kind(const char* description) {
  return {{"type", "string"}, {"description", description}};
}

json id_property() {
  return text_of_kind("as subagent_spawn gave it");
}

tool make_spawn_tool(const helper_set& helpers) {
  auto kinds = json::array();
  auto description = std::string{
    "Starts a subagent, which works on its task while you go on, "
    "and gives its id. Kinds:"};
  for (const auto& [name, kind] : helpers.kinds) {
    kinds.push_back(name);
    description += "\n- " + name;
    if (!kind.description.empty())
      description += ": " + kind.description;
  }
  return make(spawn_tool, std::move(description),
              {{"kind", {{"enum", std::move(kinds)}}},
               {"task", text_of_kind("all that it must know: it sees nothing "
                                     "of this conversation")}},
              {"kind", "task"}, recovery_class::idempotent);
}

void add_subagent_tools(const helper_set& helpers, std::vector<tool>& all) {
  all.push_back(make_spawn_tool(helpers));
  all.push_back(make(message_tool,
                     "Says something to a subagent: while it works it is told "
                     "as soon as it can be, and one that has answered goes on "
                     "with it.",
                     {{"id", id_property()}, {"message", {{"type", "string"}}}},
                     {"id", "message"}, recovery_class::idempotent));
  all.push_back(
    make(wait_tool,
         "Waits until the subagents have answered, or the time is over, and "
         "gives what they answered.",
         {{"ids",
           {{"type", "array"},
            {"items", {{"type", "string"}}},
            {"description", "whom to wait for; empty: all of them"}}},
          {"timeout",
           {{"type", "number"},
            {"minimum", 0},
            {"maximum", 86'400},
            {"description", "seconds; without it, as long as it takes"}}}},
         json::array(), recovery_class::read_only));
  all.push_back(make(list_tool, "Lists the subagents and what they do.",
                     json::object(), json::array(), recovery_class::read_only));
  all.push_back(make(stop_tool,
                     "Ends a subagent and all that works for it. It cannot be "
                     "spoken to any more.",
                     {{"id", id_property()}}, {"id"},
                     recovery_class::idempotent));
}

} // namespace

std::vector<tool> make_helper_tools(const helper_set& helpers) {
  auto result = std::vector<tool>{};
  if (!helpers.kinds.empty())
    add_subagent_tools(helpers, result);
  for (const auto& [name, kind] : helpers.by_tool)
    result.push_back(make(name, kind.description,
                          {{"input", text_of_kind("the task, complete")}},
                          {"input"}, recovery_class::idempotent));
  return result;
}

} // namespace troupe
