#pragma once

#include "troupe/config/assembly_settings.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe {

using name_set = std::set<std::string>;

/// Who -> whom it leads to.
using successor_map = std::map<std::string, name_set>;

/// Where the edges of a graph lead, those for errors too.
successor_map successors(const graph_settings& x);

successor_map reversed(const successor_map& next);

/// All that ways of at least one step lead to from `start`: itself only where
/// one leads back.
name_set reached_from(const successor_map& next, const std::string& start);

name_set intersection(const name_set& x, const name_set& y);

/// Node -> the nodes that every way from it to the finish goes through, itself
/// included. Of a node without such a way: all nodes.
using post_dominators = std::map<std::string, name_set>;

post_dominators find_post_dominators(const graph_settings& x);

/// The first node that all ways from all of `nodes` go through.
std::string find_join(const post_dominators& ways,
                      const std::vector<std::string>& nodes);

bool is_from(const edge_settings& edge, const std::string& node);

/// Whether an edge leads on after success, whatever was said.
bool is_unconditional(const edge_settings& edge);

/// Where the edges without condition of `node` lead to.
std::vector<std::string> unconditional_targets(const graph_settings& x,
                                               const std::string& node);

/// Whether an edge says what its target is asked.
bool has_input(const edge_settings& edge);

/// Whether two edges, which have inputs, say the same. Of code that cannot be
/// known.
bool has_same_input(const edge_settings& x, const edge_settings& y);

} // namespace troupe
