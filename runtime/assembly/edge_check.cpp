#include "troupe/runtime/assembly/edge_check.hpp"

#include "troupe/runtime/assembly/graph_ways.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace troupe {

namespace {

bool is_same_question(const condition_settings& x,
                      const condition_settings& y) {
  return !x.holds && !y.holds && x.node == y.node && x.pointer == y.pointer
         && x.equals == y.equals && x.contains == y.contains
         && x.matches == y.matches;
}

class node_edges {
public:
  node_edges(const graph_settings& x, std::string node, assembly_faults& wrong)
    : x_(x),
      node_(std::move(node)),
      wrong_(wrong) {
    // nop
  }

  void run() {
    auto goes_on = false;
    for (size_t i = 0; i < x_.edges.size(); ++i) {
      const auto& edge = x_.edges[i];
      if (!is_from(edge, node_))
        continue;
      goes_on = goes_on || !edge.on_error;
      auto path = "edges[" + std::to_string(i) + "]";
      if (edge.on_error)
        check_kinds(*edge.on_error, path);
      else if (edge.when)
        check_question(i, path);
      else if (!plain_.insert(edge.to).second)
        wrong_.add(path, "leads from \"" + node_ + "\" to \"" + edge.to
                           + "\" as another edge does");
    }
    if (!goes_on && !kinds_.empty() && node_ != x_.finish)
      wrong_.add("nodes." + node_,
                 "has edges for errors only: nothing comes after its answer",
                 "add {from: " + node_ + ", to: …}");
  }

private:
  void check_kinds(const std::vector<std::string>& kinds,
                   const std::string& path) {
    for (const auto& kind : std::set<std::string>{kinds.begin(), kinds.end()}) {
      auto [other, is_new] = kinds_.emplace(kind, path);
      if (!is_new)
        wrong_.add(path + ".on_error", "\"" + kind + "\" of \"" + node_
                                         + "\" is that of " + other->second
                                         + ", too");
    }
  }

  void check_question(size_t i, const std::string& path) {
    for (size_t j = 0; j < i; ++j) {
      const auto& other = x_.edges[j];
      if (is_from(other, node_) && other.when
          && is_same_question(*other.when, *x_.edges[i].when)) {
        wrong_.add(path + ".when", "asks the same as edges[" + std::to_string(j)
                                     + "]: both would match");
        return;
      }
    }
  }

  const graph_settings& x_;
  std::string node_;
  assembly_faults& wrong_;
  name_set plain_;
  /// Kind of error -> the edge for it.
  std::map<std::string, std::string> kinds_;
};

} // namespace

void check_edges_of_nodes(const graph_settings& x, assembly_faults& wrong) {
  auto nodes = name_set{};
  for (const auto& edge : x.edges)
    nodes.insert(edge.from.begin(), edge.from.end());
  for (const auto& node : nodes)
    node_edges{x, node, wrong}.run();
}

} // namespace troupe
