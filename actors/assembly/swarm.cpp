#include "troupe/actors/assembly/swarm.hpp"

#include "troupe/actors/run/run_journal.hpp"
#include "troupe/actors/workflow/workflow_run.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe {

namespace {

struct handoff {
  std::string from;
  std::string to;
  std::string message;
};

handoff read_handoff(const std::string& from, const std::string& json_text) {
  auto arguments = parse_object(json_text);
  if (!arguments)
    throw co::failure{std::move(arguments.error())};
  return {from, arguments->value("to", std::string{}),
          arguments->value("message", std::string{})};
}

/// Tells of it once, however often the run is gone on with.
void record_handoff(workflow_ptr self, const handoff& x, uint32_t step) {
  auto name = "handoff/" + std::to_string(step);
  if (self->state.values.contains(name))
    return;
  auto data = dump_json(
    nlohmann::json{{"from", x.from}, {"to", x.to}, {"message", x.message}});
  keep_value(self->state, name, data);
  auto event = run_event{};
  event.type = event_type::handoff;
  event.participant = x.from;
  event.data_json = std::move(data);
  add_event(self, std::move(event));
  flush(self);
}

/// What the next member is asked, where it has no template.
std::string next_input(const assembly_record& so_far, const handoff& x) {
  auto result = so_far.task + "\n\nHanded over by " + x.from;
  return x.message.empty() ? result + "." : result + ":\n" + x.message;
}

} // namespace

tool make_handoff_tool(const std::map<std::string, std::string>& targets) {
  auto spec = tool_spec{};
  spec.name = handoff_tool_name;
  spec.description = "Hands the task over to somebody else, who then answers "
                     "in your place:";
  auto names = nlohmann::json::array();
  for (const auto& [name, description] : targets) {
    names.push_back(name);
    spec.description += "\n- " + name;
    if (!description.empty())
      spec.description += ": " + description;
  }
  auto properties
    = nlohmann::json{{"to", {{"enum", std::move(names)}}},
                     {"message",
                      {{"type", "string"},
                       {"description", "what whoever takes over must know"}}}};
  spec.parameters = dump_json({{"type", "object"},
                               {"required", {"to"}},
                               {"properties", std::move(properties)},
                               {"additionalProperties", false}});
  spec.recovery = recovery_class::read_only;
  auto body = tool::function{[](tool_context, std::string arguments) {
    auto x = nlohmann::json::parse(arguments);
    return dump_json(nlohmann::json{{"handed_over_to", x["to"]}});
  }};
  return tool{std::move(spec), std::move(body)};
}

co::task<std::string> run_swarm(workflow_context flow,
                                std::shared_ptr<const swarm_definition> swarm,
                                std::string task) {
  auto self = flow.where().self;
  auto walk = begin_walk(flow, std::move(task), 1);
  auto repeats = std::map<std::pair<std::string, std::string>, uint32_t>{};
  auto at = swarm->start;
  auto order = member_order{};
  for (auto step = uint32_t{1}; step <= swarm->max_steps; ++step) {
    auto asked = ask_member(flow, walk, swarm->members.at(at), order);
    auto answer = co_await asked;
    if (answer.final_call_json.empty())
      co_return answer_with(flow, *walk, at);
    auto next = read_handoff(at, answer.final_call_json);
    if (++repeats[{next.from, next.to}] > swarm->max_handoff_repeats)
      throw co::failure{errc::limit,
                        "\"" + next.from + "\" handed over to \"" + next.to
                          + "\" more than "
                          + std::to_string(swarm->max_handoff_repeats)
                          + " times (max_handoff_repeats)"};
    record_handoff(self, next, step);
    // Those who are told what was said before are told this too.
    auto& said = walk->so_far.outputs[at];
    said += (said.empty() ? "(to " : "\n(to ") + next.to + ") " + next.message;
    order.text = next_input(walk->so_far, next);
    order.before = {at};
    at = next.to;
  }
  throw co::failure{errc::limit, "no member of the swarm answered within "
                                   + std::to_string(swarm->max_steps)
                                   + " steps (max_steps)"};
}

} // namespace troupe
