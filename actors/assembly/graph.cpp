#include "troupe/actors/assembly/graph.hpp"

#include "troupe/runtime/co/for_each.hpp"

#include <functional>
#include <utility>

namespace troupe {

namespace {

// A graph may lead back; a model that never lets it out must not run on.
constexpr auto most_nodes = uint32_t{1000};

/// One run of one graph.
struct graph_walk {
  workflow_context flow;
  std::shared_ptr<const graph_definition> graph;
  assembly_walk_ptr walk;
  uint32_t nodes = 0;
};

using graph_walk_ptr = std::shared_ptr<graph_walk>;
using names = std::vector<std::string>;
using ways = std::vector<graph_route::target>;

/// The node a way is at, and those that led to it.
struct position {
  graph_route::target at;
  names before;
};

void count_node(graph_walk& x) {
  if (++x.nodes > most_nodes)
    throw co::failure{errc::limit, "the graph ran " + std::to_string(most_nodes)
                                     + " nodes without reaching its finish"};
}

/// Runs a node; where it fails, the way that is for such errors.
co::task<std::optional<graph_route::target>> run_node(graph_walk_ptr x,
                                                      position where) {
  count_node(*x);
  const auto& name = where.at.node;
  auto is_finish = name == x->graph->plan.finish();
  auto order
    = member_order{where.at.input, where.at.map, {}, where.before, is_finish};
  auto failed = caf::error{};
  try {
    auto asked = ask_member(x->flow, x->walk, x->graph->nodes.at(name),
                            std::move(order));
    co_await asked;
  } catch (const co::failure& why) {
    failed = why.reason();
  }
  if (!failed)
    co_return std::nullopt;
  auto way = x->graph->plan.after_error(name, to_fault(failed).kind);
  if (!way)
    throw co::failure{std::move(way.error())};
  if (!*way)
    throw co::failure{std::move(failed)};
  co_return std::move(*way);
}

co::task<ways> walk_on(graph_walk_ptr x, position where, std::string stop);

co::task<void> walk_branch(graph_walk_ptr x, position where, std::string stop,
                           ways* out) {
  *out = co_await walk_on(x, std::move(where), std::move(stop));
}

/// Walks the ways of a group at once; gives those on which they came to where
/// they come together.
co::task<ways> walk_group(graph_walk_ptr x, graph_route route,
                          std::string from) {
  auto lasts = std::vector<ways>(route.targets.size());
  auto indices = std::vector<size_t>{};
  for (size_t i = 0; i < route.targets.size(); ++i)
    indices.push_back(i);
  auto step = std::function<co::task<void>(size_t)>{[&](size_t i) {
    return walk_branch(x, position{route.targets[i], {from}}, route.join,
                       &lasts[i]);
  }};
  auto count = indices.size();
  auto all = co::for_each(std::move(indices), count, std::move(step));
  co_await all;
  auto result = ways{};
  for (auto& last : lasts)
    result.insert(result.end(), last.begin(), last.end());
  co_return result;
}

/// Walks until the next node is `stop`, or the finish has answered; gives the
/// ways that led there.
co::task<ways> walk_on(graph_walk_ptr x, position where, std::string stop) {
  const auto& plan = x->graph->plan;
  while (where.at.node != stop) {
    auto node = where.at.node;
    auto handler = co_await run_node(x, std::move(where));
    if (handler) {
      where = position{std::move(*handler), {node}};
      continue;
    }
    if (node == plan.finish())
      co_return ways{};
    auto route = plan.after(node, x->walk->so_far);
    if (!route)
      throw co::failure{std::move(route.error())};
    if (route->join.empty()) {
      where = position{std::move(route->targets.front()), {node}};
      continue;
    }
    auto join = route->join;
    auto group = walk_group(x, std::move(*route), node);
    auto taken = co_await group;
    // Groups that end at one place come together there with all their ways.
    if (join == stop)
      co_return taken;
    auto at = plan.join(join, taken);
    if (!at)
      throw co::failure{std::move(at.error())};
    auto before = names{};
    for (const auto& way : taken)
      before.push_back(way.from);
    where = position{std::move(*at), std::move(before)};
  }
  auto last = ways{};
  last.push_back(std::move(where.at));
  co_return last;
}

} // namespace

co::task<std::string> run_graph(workflow_context flow,
                                std::shared_ptr<const graph_definition> graph,
                                std::string task) {
  auto x = std::make_shared<graph_walk>(graph_walk{flow, graph, nullptr, 0});
  x->walk = begin_walk(flow, std::move(task), graph->max_concurrency);
  auto begin = position{{graph->plan.start(), std::nullopt, {}, 0, {}}, {}};
  auto walking = walk_on(x, std::move(begin), std::string{});
  co_await walking;
  co_return answer_with(flow, *x->walk, graph->plan.finish());
}

} // namespace troupe
