#include "troupe/config/assembly_reader.hpp"

#include "troupe/config/settings_reader.hpp"

#include <filesystem>
#include <utility>

namespace troupe {

namespace {

constexpr auto most_at_once = uint64_t{1024};
constexpr auto most_steps = uint64_t{100'000};
// Steps within steps; the parser bounds the text, this what walks over it.
constexpr auto most_depth = 16;

template <class T, class From>
void take(T& x, From&& found) {
  if (found)
    x = static_cast<T>(*std::forward<From>(found));
}

std::vector<std::string> one_or_more(const yaml_value& value) {
  if (value.is_sequence())
    return value.texts().value_or(std::vector<std::string>{});
  auto one = value.text();
  return one ? std::vector<std::string>{*one} : std::vector<std::string>{};
}

condition_settings read_condition(const yaml_value& value) {
  auto result = condition_settings{};
  auto fields = value.fields();
  take(result.node, fields.require("node").text());
  take(result.pointer, fields.get("pointer").text());
  auto equals = fields.get("equals");
  if (equals)
    result.equals = equals.json();
  result.contains = fields.get("contains").text();
  result.matches = fields.get("matches").text();
  auto count = (result.equals ? 1 : 0) + (result.contains ? 1 : 0)
               + (result.matches ? 1 : 0);
  if (count != 1)
    value.fail("needs exactly one of equals, contains and matches");
  if (!result.pointer.empty() && result.pointer.front() != '/')
    value.fail("pointer begins with /, as in /kind");
  fields.reject_unknown();
  return result;
}

edge_settings read_edge(const yaml_value& value) {
  auto result = edge_settings{};
  auto fields = value.fields();
  result.from = one_or_more(fields.require("from"));
  take(result.to, fields.require("to").text());
  if (auto when = fields.get("when"))
    result.when = read_condition(when);
  result.input = fields.get("input").text();
  if (auto kinds = fields.get("on_error"))
    result.on_error = read_error_kinds(kinds);
  if (result.when && result.on_error)
    value.fail("an edge for errors has no condition");
  fields.reject_unknown();
  return result;
}

std::map<std::string, participant_settings>
read_participants(const yaml_value& mapping, definition_source& from) {
  auto result = std::map<std::string, participant_settings>{};
  for (const auto& [name, value] : mapping.entries())
    result[name] = read_participant(value, from);
  if (mapping && result.empty())
    mapping.fail("is empty");
  return result;
}

graph_settings read_graph(yaml_fields& fields, definition_source& from) {
  auto result = graph_settings{};
  result.nodes = read_participants(fields.require("nodes"), from);
  take(result.start, fields.require("start").text());
  for (const auto& item : fields.get("edges").items())
    result.edges.push_back(read_edge(item));
  take(result.finish, fields.require("finish").text());
  take(result.max_concurrency,
       fields.get("max_concurrency").count(1, most_at_once));
  return result;
}

swarm_settings read_swarm(yaml_fields& fields, definition_source& from) {
  auto result = swarm_settings{};
  result.members = read_participants(fields.require("members"), from);
  take(result.start, fields.require("start").text());
  for (const auto& [name, value] : fields.get("handoffs").entries())
    result.handoffs[name] = one_or_more(value);
  take(result.max_steps, fields.get("max_steps").count(1, most_steps));
  take(result.max_handoff_repeats,
       fields.get("max_handoff_repeats").count(1, most_steps));
  return result;
}

/// The name that a step's result has when nobody gave it one.
std::string own_name(const participant_settings& x) {
  if (!x.definition)
    return x.agent;
  if (const auto* agent = std::get_if<agent_settings>(&x.definition->what))
    return agent->name;
  return std::get<assembly_settings>(x.definition->what).name;
}

class step_reader {
public:
  explicit step_reader(definition_source& from) : from_(from) {
    // nop
  }

  std::vector<workflow_step_settings> read_all(const yaml_value& list,
                                               int depth) {
    auto result = std::vector<workflow_step_settings>{};
    if (depth > most_depth) {
      list.fail("steps are nested too deeply");
      return result;
    }
    for (const auto& item : list.items())
      result.push_back(read(item, depth));
    if (list && result.empty())
      list.fail("is empty");
    return result;
  }

private:
  workflow_step_settings read(const yaml_value& value, int depth) {
    auto result = workflow_step_settings{};
    auto fields = value.fields();
    if (auto together = fields.get("parallel"))
      result.what = read_parallel(fields, together, depth);
    else if (auto when = fields.get("when"))
      result.what = read_branch(fields, when, depth);
    else
      result.what = read_invoke(fields);
    fields.reject_unknown();
    return result;
  }

  invoke_step_settings read_invoke(yaml_fields& fields) {
    auto result = invoke_step_settings{};
    result.participant = read_participant(fields, "invoke", from_);
    result.as = fields.get("as").name().value_or(own_name(result.participant));
    return result;
  }

  parallel_step_settings read_parallel(yaml_fields& fields,
                                       const yaml_value& list, int depth) {
    auto result = parallel_step_settings{};
    result.steps = read_all(list, depth + 1);
    take(result.max_concurrency,
         fields.get("max_concurrency").count(1, most_at_once));
    return result;
  }

  branch_step_settings read_branch(yaml_fields& fields, const yaml_value& when,
                                   int depth) {
    auto result = branch_step_settings{};
    result.when = read_condition(when);
    result.then_steps = read_all(fields.require("then"), depth + 1);
    result.else_steps = read_all(fields.get("else"), depth + 1);
    return result;
  }

  definition_source& from_;
};

} // namespace

assembly_settings read_assembly(const yaml_value& mapping,
                                definition_source& from) {
  auto result = assembly_settings{};
  auto fields = mapping.fields();
  auto name = [&](std::string_view key) {
    take(result.name, fields.require(key).name());
  };
  if (fields.get("graph")) {
    name("graph");
    result.what = read_graph(fields, from);
  } else if (fields.get("swarm")) {
    name("swarm");
    result.what = read_swarm(fields, from);
  } else {
    name("workflow");
    auto steps = fields.require("steps");
    result.what = workflow_file_settings{step_reader{from}.read_all(steps, 0)};
  }
  take(result.description, fields.get("description").text());
  if (auto sandbox = fields.get("sandbox"))
    settings_reader::read(sandbox, result.sandbox.emplace());
  if (auto workspace = fields.get("workspace"))
    settings_reader::read(workspace, result.workspace.emplace());
  if (auto limits = fields.get("limits")) {
    auto inner = limits.fields();
    result.deadline = inner.get("deadline").duration();
    inner.reject_unknown();
  }
  fields.reject_unknown();
  return result;
}

std::string assembly_settings::kind() const {
  if (std::holds_alternative<graph_settings>(what))
    return "graph";
  return std::holds_alternative<swarm_settings>(what) ? "swarm" : "workflow";
}

} // namespace troupe
