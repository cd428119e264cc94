#include "troupe/runtime/assembly/graph_plan.hpp"

#include "troupe/runtime/assembly/graph_check.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

bool is_from(const edge_settings& edge, const std::string& node) {
  return std::find(edge.from.begin(), edge.from.end(), node) != edge.from.end();
}

graph_route::target way_along(const edge_settings& x) {
  return {x.to, x.input, x.map};
}

} // namespace

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
  for (const auto& edge : edges_) {
    if (!is_from(edge.settings, node) || !edge.settings.on_error.empty())
      continue;
    if (!edge.when)
      others.targets.push_back(way_along(edge.settings));
    else if (edge.when->holds(so_far))
      chosen.targets.push_back(way_along(edge.settings));
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

std::optional<graph_route::target>
graph_plan::after_error(const std::string& node, errc kind) const {
  for (const auto& edge : edges_)
    if (is_from(edge.settings, node)
        && is_kind_among(kind, edge.settings.on_error))
      return way_along(edge.settings);
  return std::nullopt;
}

graph_route::target
graph_plan::join(const std::string& node,
                 const std::vector<std::string>& from) const {
  // An edge that waits for all says more than one from a single node.
  for (auto is_joint : {true, false})
    for (const auto& edge : edges_) {
      const auto& x = edge.settings;
      auto comes = std::any_of(from.begin(), from.end(), [&](const auto& one) {
        return is_from(x, one);
      });
      if (comes && x.to == node && (x.input || x.map)
          && (x.from.size() > 1) == is_joint && x.on_error.empty())
        return way_along(x);
    }
  return {node, {}, {}};
}

bool is_kind_among(errc kind, const std::vector<std::string>& words) {
  auto word = to_string(kind);
  return std::any_of(words.begin(), words.end(), [&](const auto& x) {
    return x == word || (x == "provider" && is_provider_error(kind));
  });
}

} // namespace troupe
