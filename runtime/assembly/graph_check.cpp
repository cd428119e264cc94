#include "troupe/runtime/assembly/graph_check.hpp"

#include "troupe/config/nearest_name.hpp"
#include "troupe/runtime/assembly/output_condition.hpp"
#include "troupe/runtime/prompt/template_text.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

namespace troupe {

namespace {

using name_set = std::set<std::string>;

std::map<std::string, name_set> successors(const graph_settings& x) {
  auto result = std::map<std::string, name_set>{};
  for (const auto& edge : x.edges)
    for (const auto& from : edge.from)
      result[from].insert(edge.to);
  return result;
}

name_set reachable(const std::map<std::string, name_set>& next,
                   const std::string& start) {
  auto result = name_set{start};
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

std::map<std::string, name_set>
reversed(const std::map<std::string, name_set>& next) {
  auto result = std::map<std::string, name_set>{};
  for (const auto& [from, targets] : next)
    for (const auto& to : targets)
      result[to].insert(from);
  return result;
}

name_set intersection(const name_set& x, const name_set& y) {
  auto result = name_set{};
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(),
                        std::inserter(result, result.end()));
  return result;
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
      check_edge(x_.edges[i], "edges[" + std::to_string(i) + "]");
    for (const auto& [name, node] : x_.nodes)
      if (node.input)
        check_template(*node.input, "nodes." + name + ".input");
    if (!x_.nodes.contains(x_.start) || !x_.nodes.contains(x_.finish))
      return std::move(wrong_);
    auto meant = as_meant();
    if (check_ways(meant))
      check_joins(meant);
    return std::move(wrong_);
  }

private:
  void fail(const std::string& path, const std::string& what,
            std::string hint = {}) {
    auto x = fault{};
    x.kind = errc::configuration;
    x.message = path + ": " + what;
    x.hint = std::move(hint);
    wrong_.push_back(std::move(x));
  }

  void check_name(const std::string& name, const std::string& path) {
    if (x_.nodes.contains(name))
      return;
    auto hint = std::string{};
    if (auto near = nearest_name(name, names_))
      hint = "did you mean \"" + *near + "\"?";
    fail(path, "there is no node \"" + name + "\"", std::move(hint));
  }

  void check_template(const std::string& text, const std::string& path) {
    auto compiled = template_text::compile(text);
    if (!compiled)
      fail(path, to_fault(compiled.error()).message);
  }

  void check_edge(const edge_settings& edge, const std::string& path) {
    for (const auto& from : edge.from)
      check_name(from, path + ".from");
    check_name(edge.to, path + ".to");
    if (edge.from.empty())
      fail(path + ".from", "names no node");
    if (name_set{edge.from.begin(), edge.from.end()}.size() != edge.from.size())
      fail(path + ".from", "names a node twice");
    if (edge.from.size() > 1 && (edge.when || !edge.on_error.empty()))
      fail(path, "an edge that waits for several nodes has neither when nor "
                 "on_error");
    if (std::count(edge.from.begin(), edge.from.end(), x_.finish) > 0)
      fail(path + ".from", "nothing comes after the finish");
    if (edge.input)
      check_template(*edge.input, path + ".input");
    if (edge.when) {
      if (!edge.when->holds)
        check_name(edge.when->node, path + ".when.node");
      auto compiled = output_condition::make(*edge.when);
      if (!compiled)
        fail(path + ".when", to_fault(compiled.error()).message);
    }
    check_repetition(edge, path);
  }

  void check_repetition(const edge_settings& edge, const std::string& path) {
    if (edge.when || !edge.on_error.empty())
      return;
    for (const auto& from : edge.from)
      if (!plain_.emplace(from, edge.to).second)
        fail(path, "leads from \"" + from + "\" to \"" + edge.to
                     + "\" as another edge does");
  }

  /// The graph with its misspelt names as they were probably meant, and without
  /// edges to nowhere: one fault is not reported as several.
  graph_settings as_meant() const {
    auto result = x_;
    auto correct = [this](std::string& name) {
      if (!x_.nodes.contains(name))
        name = nearest_name(name, names_).value_or(std::string{});
      return !name.empty();
    };
    std::erase_if(result.edges, [&](edge_settings& edge) {
      std::erase_if(edge.from, [&](std::string& x) { return !correct(x); });
      return !correct(edge.to) || edge.from.empty();
    });
    return result;
  }

  /// Whether every node is on a way from the start to the finish.
  bool check_ways(const graph_settings& meant) {
    auto before = wrong_.size();
    auto next = successors(meant);
    auto forwards = reachable(next, x_.start);
    auto backwards = reachable(reversed(next), x_.finish);
    for (const auto& name : names_) {
      if (!forwards.contains(name))
        fail("nodes." + name, "no edge leads here from the start");
      else if (!backwards.contains(name))
        fail("nodes." + name, "no edge leads from here to the finish",
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
      if (targets.size() > 1)
        joins.insert(find_join(ways, targets));
    }
    for (size_t i = 0; i < x_.edges.size(); ++i)
      if (x_.edges[i].from.size() > 1 && x_.nodes.contains(x_.edges[i].to)
          && !joins.contains(x_.edges[i].to))
        fail("edges[" + std::to_string(i) + "]",
             "waits for nodes that do not run at once, or not only for them",
             "let one node lead to all of them without conditions");
  }

  const graph_settings& x_;
  std::vector<std::string> names_;
  std::set<std::pair<std::string, std::string>> plain_;
  std::vector<fault> wrong_;
};

} // namespace

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
    if (!edge.when && edge.on_error.empty()
        && std::count(edge.from.begin(), edge.from.end(), node) > 0)
      result.push_back(edge.to);
  return result;
}

std::vector<fault> check_graph(const graph_settings& x) {
  return graph_checker{x}.run();
}

} // namespace troupe
