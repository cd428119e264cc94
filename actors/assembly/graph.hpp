#pragma once

#include "troupe/actors/assembly/assembly_walk.hpp"
#include "troupe/runtime/assembly/graph_plan.hpp"

#include <map>
#include <memory>
#include <string>

namespace troupe {

/// A graph that was checked, with its participants. Immutable.
struct graph_definition {
  graph_plan plan;
  std::map<std::string, assembly_member> nodes;
  uint32_t max_concurrency = 4;
};

/// Walks a graph from its start to its finish, whose answer it gives.
co::task<std::string> run_graph(workflow_context flow,
                                std::shared_ptr<const graph_definition> graph,
                                std::string task);

} // namespace troupe
