#include "troupe/runtime/assembly/graph_plan.hpp"

#include "troupe/runtime/assembly/graph_check.hpp"
#include "troupe/runtime/assembly/graph_ways.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

caf::expected<graph_plan> graph_plan::make(const graph_settings& x) {
  if (auto wrong = check_graph(x); !wrong.empty())
    return make_error(wrong);
  auto result = graph_plan{};
  result.start_ = x.start;
  result.finish_ = x.finish;
  for (const auto& one : x.edges) {
    auto& edge = result.edges_.emplace_back();
    edge.settings = one;
    if (!one.when)
      continue;
    auto compiled = output_condition::make(*one.when);
    if (!compiled)
      return std::move(compiled.error());
    edge.when = std::move(*compiled);
  }
  auto ways = find_post_dominators(x);
  for (const auto& [name, node] : x.nodes) {
    auto targets = unconditional_targets(x, name);
    if (targets.size() > 1)
      result.joins_[name] = find_join(ways, targets);
  }
  return result;
}

caf::expected<graph_route>
graph_plan::after(const std::string& node,
                  const assembly_record& so_far) const {
  auto chosen = graph_route{};
  auto others = graph_route{};
  for (size_t i = 0; i < edges_.size(); ++i) {
    const auto& edge = edges_[i];
    if (!is_from(edge.settings, node) || edge.settings.on_error)
      continue;
    if (!edge.when)
      others.targets.push_back(way_along(i, node));
    else if (edge.when->holds(so_far))
      chosen.targets.push_back(way_along(i, node));
  }
  if (chosen.targets.size() > 1)
    return make_error(errc::routing,
                      "after \"" + node + "\" the conditions of the edges to \""
                        + chosen.targets[0].node + "\" and \""
                        + chosen.targets[1].node + "\" both match");
  if (chosen.targets.size() == 1)
    return chosen;
  if (others.targets.empty())
    return make_error(errc::routing,
                      "after \"" + node
                        + "\" no condition matches, and there is no edge "
                          "without one");
  if (others.targets.size() > 1)
    others.join = joins_.at(node);
  return others;
}

caf::expected<std::optional<graph_route::target>>
graph_plan::after_error(const std::string& node, errc kind) const {
  auto result = std::optional<graph_route::target>{};
  for (size_t i = 0; i < edges_.size(); ++i) {
    const auto& edge = edges_[i].settings;
    if (!edge.on_error || !is_from(edge, node)
        || !is_kind_among(kind, *edge.on_error))
      continue;
    if (result)
      return make_error(
        errc::routing, "after the failure of \"" + node + "\" the edges to \""
                         + result->node + "\" and \"" + edge.to
                         + "\" are both for errors of kind " + to_string(kind));
    result = way_along(i, node);
  }
  return result;
}

caf::expected<graph_route::target>
graph_plan::join(const std::string& node,
                 const std::vector<graph_route::target>& taken) const {
  auto is_joint = [this](const graph_route::target& x) {
    const auto& edge = edges_[x.edge].settings;
    return edge.from.size() > 1 && has_input(edge);
  };
  auto has_joint = std::any_of(taken.begin(), taken.end(), is_joint);
  auto result = graph_route::target{};
  result.node = node;
  const graph_route::target* first = nullptr;
  for (const auto& way : taken) {
    const auto& edge = edges_[way.edge].settings;
    if (!has_input(edge) || (has_joint && !is_joint(way)))
      continue;
    if (first == nullptr)
      result = *(first = &way);
    else if (!has_same_input(edges_[first->edge].settings, edge))
      return make_error(errc::routing,
                        "the edges from \"" + first->from + "\" and from \""
                          + way.from + "\" come together at \"" + node
                          + "\" with different inputs: use a join, {from: ["
                          + first->from + ", " + way.from + "], to: " + node
                          + ", input: …}, or one input at the node");
  }
  return result;
}

graph_route::target graph_plan::way_along(size_t edge,
                                          const std::string& from) const {
  const auto& x = edges_[edge].settings;
  return {x.to, x.input, x.map, edge, from};
}

bool is_kind_among(errc kind, const std::vector<std::string>& words) {
  auto word = to_string(kind);
  return std::any_of(words.begin(), words.end(), [&](const auto& x) {
    return x == word || (x == "provider" && is_provider_error(kind));
  });
}

} // namespace troupe
