#pragma once

#include "troupe/config/assembly_settings.hpp"
#include "troupe/config/errc.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// Node -> the nodes that every way from it to the finish goes through, itself
/// included. Of a node without such a way: all nodes.
using post_dominators = std::map<std::string, std::set<std::string>>;

post_dominators find_post_dominators(const graph_settings& x);

/// The first node that all ways from all of `nodes` go through.
std::string find_join(const post_dominators& ways,
                      const std::vector<std::string>& nodes);

/// Where the edges without condition of `node` lead to.
std::vector<std::string> unconditional_targets(const graph_settings& x,
                                               const std::string& node);

/// All that is wrong with a graph: names that are not there, nodes that cannot
/// be reached or lead nowhere, edges that say the same, joins that wait for
/// what does not run beside each other, expressions and templates that are
/// none.
std::vector<fault> check_graph(const graph_settings& x);

} // namespace troupe
