#include "troupe/runtime/assembly/graph_ways.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

namespace troupe {

successor_map successors(const graph_settings& x) {
  auto result = successor_map{};
  for (const auto& edge : x.edges)
    for (const auto& from : edge.from)
      result[from].insert(edge.to);
  return result;
}

successor_map reversed(const successor_map& next) {
  auto result = successor_map{};
  for (const auto& [from, targets] : next)
    for (const auto& to : targets)
      result[to].insert(from);
  return result;
}

name_set reached_from(const successor_map& next, const std::string& start) {
  auto result = name_set{};
  auto open = std::deque<std::string>{start};
  while (!open.empty()) {
    auto at = std::move(open.front());
    open.pop_front();
    auto found = next.find(at);
    if (found == next.end())
      continue;
    for (const auto& to : found->second)
      if (result.insert(to).second)
        open.push_back(to);
  }
  return result;
}

name_set intersection(const name_set& x, const name_set& y) {
  auto result = name_set{};
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(),
                        std::inserter(result, result.end()));
  return result;
}

post_dominators find_post_dominators(const graph_settings& x) {
  auto next = successors(x);
  auto all = name_set{};
  for (const auto& [name, node] : x.nodes)
    all.insert(name);
  auto result = post_dominators{};
  for (const auto& name : all)
    result[name] = name == x.finish ? name_set{name} : all;
  for (auto has_changed = true; has_changed;) {
    has_changed = false;
    for (const auto& name : all) {
      if (name == x.finish)
        continue;
      auto ways = all;
      for (const auto& to : next[name])
        ways = intersection(ways, result[to]);
      ways.insert(name);
      has_changed = has_changed || ways != result[name];
      result[name] = std::move(ways);
    }
  }
  return result;
}

std::string find_join(const post_dominators& ways,
                      const std::vector<std::string>& nodes) {
  auto common = ways.at(nodes.front());
  for (const auto& node : nodes)
    common = intersection(common, ways.at(node));
  // The first is the one from which all the others are still ahead.
  for (const auto& node : common)
    if (intersection(ways.at(node), common) == common)
      return node;
  return {};
}

std::vector<std::string> unconditional_targets(const graph_settings& x,
                                               const std::string& node) {
  auto result = std::vector<std::string>{};
  for (const auto& edge : x.edges)
    if (is_unconditional(edge) && is_from(edge, node))
      result.push_back(edge.to);
  return result;
}

bool is_from(const edge_settings& edge, const std::string& node) {
  return std::find(edge.from.begin(), edge.from.end(), node) != edge.from.end();
}

bool is_unconditional(const edge_settings& edge) {
  return !edge.when && !edge.on_error;
}

bool has_input(const edge_settings& edge) {
  return edge.input || edge.map;
}

bool has_same_input(const edge_settings& x, const edge_settings& y) {
  return &x == &y || (!x.map && !y.map && x.input == y.input);
}

} // namespace troupe
