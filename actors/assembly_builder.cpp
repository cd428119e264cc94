#include "troupe/actors/assembly_builder.hpp"

#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/json/json_text.hpp"

#include <nlohmann/json.hpp>

namespace troupe {

namespace {

assembly_settings begin(
  std::string name,
  std::variant<graph_settings, workflow_file_settings, swarm_settings> what) {
  auto result = assembly_settings{};
  result.name = std::move(name);
  result.what = std::move(what);
  return result;
}

} // namespace

agent& agent::subagent(const std::string& kind, const member& who,
                       uint32_t max) {
  settings_.subagents[kind] = {who.settings(), max};
  return *this;
}

agent& agent::use(const std::string& tool_name, const std::string& description,
                  const member& who) {
  settings_.assembly_tools.push_back({who.settings(), tool_name, description});
  return *this;
}

condition_settings when::equals(const std::string& text) const {
  return equals_json(dump_json(nlohmann::json(text)));
}

condition_settings when::equals_json(std::string json_text) const {
  auto result = settings_;
  result.equals = std::move(json_text);
  return result;
}

condition_settings when::contains(std::string text) const {
  auto result = settings_;
  result.contains = std::move(text);
  return result;
}

condition_settings when::matches(std::string expression) const {
  auto result = settings_;
  result.matches = std::move(expression);
  return result;
}

graph::graph(std::string name)
  : assembly(begin(std::move(name), graph_settings{})) {
  // nop
}

graph_settings& graph::all() {
  return std::get<graph_settings>(settings_.what);
}

graph& graph::description(std::string text) {
  settings_.description = std::move(text);
  return *this;
}

graph& graph::node(const std::string& name, const member& who) {
  if (all().nodes.contains(name))
    throw co::failure{errc::configuration,
                      "there is a node \"" + name + "\" already"};
  if (all().start.empty())
    all().start = name;
  all().nodes[name] = who.settings();
  return *this;
}

graph& graph::start(std::string name) {
  all().start = std::move(name);
  return *this;
}

graph& graph::finish(std::string name) {
  all().finish = std::move(name);
  return *this;
}

graph& graph::edge(std::string from, std::string to) {
  auto one = edge_settings{};
  one.from = {std::move(from)};
  one.to = std::move(to);
  return edge(std::move(one));
}

graph& graph::edge(std::string from, std::string to,
                   condition_settings condition) {
  auto one = edge_settings{};
  one.from = {std::move(from)};
  one.to = std::move(to);
  one.when = std::move(condition);
  return edge(std::move(one));
}

graph& graph::edge(std::string from, std::string to, question condition) {
  auto asked = condition_settings{};
  asked.holds = std::move(condition);
  return edge(std::move(from), std::move(to), std::move(asked));
}

graph& graph::join(std::vector<std::string> from, std::string to,
                   std::optional<std::string> input) {
  auto one = edge_settings{};
  one.from = std::move(from);
  one.to = std::move(to);
  one.input = std::move(input);
  return edge(std::move(one));
}

graph& graph::on_error(std::string from, std::string to,
                       std::vector<std::string> kinds) {
  auto one = edge_settings{};
  one.from = {std::move(from)};
  one.to = std::move(to);
  one.on_error = std::move(kinds);
  return edge(std::move(one));
}

graph& graph::edge(edge_settings one) {
  all().edges.push_back(std::move(one));
  return *this;
}

graph& graph::max_concurrency(uint32_t count) {
  all().max_concurrency = count;
  return *this;
}

graph& graph::deadline(caf::timespan limit) {
  settings_.deadline = limit;
  return *this;
}

graph& graph::sandbox(sandbox_settings policy) {
  settings_.sandbox = std::move(policy);
  return *this;
}

swarm::swarm(std::string name)
  : assembly(begin(std::move(name), swarm_settings{})) {
  // nop
}

swarm_settings& swarm::all() {
  return std::get<swarm_settings>(settings_.what);
}

swarm& swarm::description(std::string text) {
  settings_.description = std::move(text);
  return *this;
}

swarm& swarm::add(const std::string& name, const member& who) {
  if (all().members.contains(name))
    throw co::failure{errc::configuration,
                      "there is a member \"" + name + "\" already"};
  if (all().start.empty())
    all().start = name;
  all().members[name] = who.settings();
  return *this;
}

swarm& swarm::start(std::string name) {
  all().start = std::move(name);
  return *this;
}

swarm& swarm::handoffs(const std::string& from, std::vector<std::string> to) {
  all().handoffs[from] = std::move(to);
  return *this;
}

swarm& swarm::max_steps(uint32_t count) {
  all().max_steps = count;
  return *this;
}

swarm& swarm::max_handoff_repeats(uint32_t count) {
  all().max_handoff_repeats = count;
  return *this;
}

swarm& swarm::deadline(caf::timespan limit) {
  settings_.deadline = limit;
  return *this;
}

swarm& swarm::sandbox(sandbox_settings policy) {
  settings_.sandbox = std::move(policy);
  return *this;
}

steps::steps(std::string name)
  : assembly(begin(std::move(name), workflow_file_settings{})) {
  // nop
}

steps::steps() : steps(std::string{}) {
  // nop
}

std::vector<workflow_step_settings>& steps::all() {
  return std::get<workflow_file_settings>(settings_.what).steps;
}

namespace {

const std::vector<workflow_step_settings>& steps_of(const steps& x) {
  return std::get<workflow_file_settings>(x.settings().what).steps;
}

} // namespace

steps& steps::description(std::string text) {
  settings_.description = std::move(text);
  return *this;
}

steps& steps::invoke(const std::string& as, const member& who) {
  all().push_back({invoke_step_settings{who.settings(), as}});
  return *this;
}

steps& steps::parallel(const steps& group, uint32_t limit) {
  all().push_back({parallel_step_settings{steps_of(group), limit}});
  return *this;
}

steps& steps::branch(condition_settings condition, const steps& then_steps,
                     const steps& else_steps) {
  auto step = branch_step_settings{std::move(condition), steps_of(then_steps),
                                   steps_of(else_steps)};
  all().emplace_back().what = std::move(step);
  return *this;
}

steps& steps::branch(question condition, const steps& then_steps,
                     const steps& else_steps) {
  auto asked = condition_settings{};
  asked.holds = std::move(condition);
  return branch(std::move(asked), then_steps, else_steps);
}

steps& steps::deadline(caf::timespan limit) {
  settings_.deadline = limit;
  return *this;
}

steps& steps::sandbox(sandbox_settings policy) {
  settings_.sandbox = std::move(policy);
  return *this;
}

} // namespace troupe
