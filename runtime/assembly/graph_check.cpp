#include "troupe/runtime/assembly/graph_check.hpp"

#include "troupe/config/nearest_name.hpp"
#include "troupe/config/participant_reader.hpp"
#include "troupe/runtime/assembly/edge_check.hpp"
#include "troupe/runtime/assembly/graph_ways.hpp"
#include "troupe/runtime/assembly/input_check.hpp"
#include "troupe/runtime/assembly/output_condition.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace troupe {

namespace {

std::string edge_path(size_t i) {
  return "edges[" + std::to_string(i) + "]";
}

class graph_checker {
public:
  explicit graph_checker(const graph_settings& x) : x_(x) {
    for (const auto& [name, node] : x.nodes)
      names_.push_back(name);
  }

  std::vector<fault> run() {
    check_name(x_.start, "start");
    check_name(x_.finish, "finish");
    for (size_t i = 0; i < x_.edges.size(); ++i)
      check_edge(x_.edges[i], edge_path(i));
    check_edges_of_nodes(x_, wrong_);
    auto meant = as_meant();
    find_earlier(meant);
    for (size_t i = 0; i < x_.edges.size(); ++i)
      check_time(i);
    for (const auto& [name, node] : x_.nodes)
      if (node.input)
        check_input(*node.input, "nodes." + name + ".input", scope_at(name),
                    wrong_);
    auto is_complete
      = std::all_of(x_.edges.begin(), x_.edges.end(), [](const auto& edge) {
          return !edge.from.empty() && !edge.to.empty();
        });
    if (is_complete && x_.nodes.contains(x_.start)
        && x_.nodes.contains(x_.finish) && check_ways(meant))
      check_joins(meant);
    return wrong_.take();
  }

private:
  void check_name(const std::string& name, const std::string& path) {
    if (!x_.nodes.contains(name))
      wrong_.add(path, "there is no node \"" + name + "\"",
                 hint_for(name, names_));
  }

  void check_edge(const edge_settings& edge, const std::string& path) {
    for (const auto& from : edge.from)
      check_name(from, path + ".from");
    check_name(edge.to, path + ".to");
    if (edge.from.empty())
      wrong_.add(path + ".from", "names no node");
    if (name_set{edge.from.begin(), edge.from.end()}.size() != edge.from.size())
      wrong_.add(path + ".from", "names a node twice");
    if (edge.from.size() > 1 && !is_unconditional(edge))
      wrong_.add(path,
                 "an edge that waits for several nodes has neither when nor "
                 "on_error");
    if (is_from(edge, x_.finish))
      wrong_.add(path + ".from", "nothing comes after the finish");
    if (edge.on_error && edge.on_error->empty())
      wrong_.add(path + ".on_error", "names no kind of error",
                 "leave it out, or name kinds: on_error: [provider]");
    for (const auto& word : edge.on_error.value_or(std::vector<std::string>{}))
      if (!is_error_word(word))
        wrong_.add(path + ".on_error",
                   "there is no kind of error \"" + word + "\"");
    if (!edge.when)
      return;
    if (!edge.when->holds)
      check_name(edge.when->node, path + ".when.node");
    auto compiled = output_condition::make(*edge.when);
    if (!compiled)
      wrong_.add(path + ".when", to_fault(compiled.error()).message);
  }

  /// The graph with its misspelt names as they were probably meant, and without
  /// edges to nowhere: one fault is not reported as several.
  graph_settings as_meant() {
    auto result = x_;
    auto correct = [this](std::string& name) {
      if (!x_.nodes.contains(name))
        name = nearest_name(name, names_).value_or(std::string{});
      return !name.empty();
    };
    std::erase_if(result.edges, [&](edge_settings& edge) {
      auto count = edge.from.size();
      std::erase_if(edge.from, [&](std::string& x) { return !correct(x); });
      auto is_lost = !correct(edge.to) || edge.from.empty();
      is_whole_ = is_whole_ && !is_lost && edge.from.size() == count;
      return is_lost;
    });
    return result;
  }

  /// Node -> those that can have ended before it begins: those that lead to
  /// it. Where edges are lost that cannot be told, and each may be.
  void find_earlier(const graph_settings& meant) {
    auto back = reversed(successors(meant));
    for (const auto& name : names_)
      earlier_[name] = is_whole_ ? reached_from(back, name)
                                 : name_set{names_.begin(), names_.end()};
  }

  input_scope scope_at(const std::string& node) const {
    auto found = earlier_.find(node);
    return {"node", names_,
            found == earlier_.end() ? name_set{names_.begin(), names_.end()}
                                    : found->second};
  }

  /// What an edge asks about must have ended when the edge is looked at, or
  /// when its target begins.
  void check_time(size_t i) {
    const auto& edge = x_.edges[i];
    if (edge.input)
      check_input(*edge.input, edge_path(i) + ".input", scope_at(edge.to),
                  wrong_);
    if (!edge.when || edge.when->holds || edge.from.size() != 1)
      return;
    const auto& from = edge.from.front();
    const auto& asked = edge.when->node;
    auto found = earlier_.find(from);
    if (asked == from || !x_.nodes.contains(asked) || found == earlier_.end()
        || found->second.contains(asked))
      return;
    wrong_.add(edge_path(i) + ".when.node",
               "the edge from \"" + from + "\" to \"" + edge.to
                 + "\" asks about \"" + asked
                 + "\", which cannot have ended by then",
               "ask about \"" + from + "\" or a node that leads to it");
  }

  /// Whether every node is on a way from the start to the finish.
  bool check_ways(const graph_settings& meant) {
    auto before = wrong_.size();
    auto next = successors(meant);
    auto forwards = reached_from(next, x_.start);
    forwards.insert(x_.start);
    auto backwards = reached_from(reversed(next), x_.finish);
    backwards.insert(x_.finish);
    for (const auto& name : names_) {
      if (!forwards.contains(name))
        wrong_.add("nodes." + name, "no edge leads here from the start");
      else if (!backwards.contains(name))
        wrong_.add("nodes." + name, "no edge leads from here to the finish",
                   "add {from: " + name + ", to: " + x_.finish + "}");
    }
    return wrong_.size() == before;
  }

  // What is waited for must run beside each other: in one group that comes
  // together where the edge leads.
  void check_joins(const graph_settings& meant) {
    auto ways = find_post_dominators(meant);
    auto joins = name_set{};
    for (const auto& name : names_) {
      auto targets = unconditional_targets(meant, name);
      if (targets.size() < 2)
        continue;
      auto join = find_join(ways, targets);
      joins.insert(join);
      if (is_whole_)
        check_inputs(meant, ways, targets, join);
    }
    for (size_t i = 0; i < x_.edges.size(); ++i)
      if (x_.edges[i].from.size() > 1 && x_.nodes.contains(x_.edges[i].to)
          && !joins.contains(x_.edges[i].to))
        wrong_.add(edge_path(i),
                   "waits for nodes that do not run at once, or not only for "
                   "them",
                   "let one node lead to all of them without conditions");
  }

  /// Where a group comes together, the edges that are taken for sure say one
  /// input.
  void check_inputs(const graph_settings& meant, const post_dominators& ways,
                    const std::vector<std::string>& targets,
                    const std::string& join) {
    auto sure = name_set{};
    for (const auto& target : targets)
      for (const auto& node : ways.at(target))
        if (!ways.at(join).contains(node) && has_no_condition(meant, node))
          sure.insert(node);
    auto taken = std::vector<size_t>{};
    auto is_joint = false;
    for (size_t i = 0; i < meant.edges.size(); ++i) {
      const auto& edge = meant.edges[i];
      auto comes = std::any_of(sure.begin(), sure.end(), [&](const auto& node) {
        return is_from(edge, node);
      });
      if (edge.to != join || !is_unconditional(edge) || !has_input(edge)
          || !comes)
        continue;
      taken.push_back(i);
      is_joint = is_joint || edge.from.size() > 1;
    }
    std::erase_if(taken, [&](size_t i) {
      return is_joint && meant.edges[i].from.size() == 1;
    });
    for (auto i : taken)
      if (!has_same_input(meant.edges[taken.front()], meant.edges[i])
          && clashes_.insert(i).second)
        wrong_.add(edge_path(i) + ".input",
                   edge_path(taken.front()) + " and this edge come together "
                     + "at \"" + join + "\" with different inputs",
                   "use a join, {from: [a, b], to: " + join
                     + ", input: …}, or one input at the node");
  }

  static bool has_no_condition(const graph_settings& x,
                               const std::string& node) {
    return std::none_of(x.edges.begin(), x.edges.end(), [&](const auto& edge) {
      return edge.when && is_from(edge, node);
    });
  }

  const graph_settings& x_;
  std::vector<std::string> names_;
  /// Whether every edge leads from nodes to a node.
  bool is_whole_ = true;
  std::map<std::string, name_set> earlier_;
  std::set<size_t> clashes_;
  assembly_faults wrong_;
};

} // namespace

std::vector<fault> check_graph(const graph_settings& x) {
  return graph_checker{x}.run();
}

} // namespace troupe
